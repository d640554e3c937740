import CLatchkeyShims
import Foundation
package import LatchkeySecretMemory
import Synchronization

/// Looks for secrets in the memory of this process.
package enum OwnMemory {
    /// A secret to look for, kept in a form in which it does not find itself.
    package struct Needle: Sendable {
        fileprivate let masked: [UInt8]

        package init(_ secret: SecretBox) {
            masked = secret.withBytes { $0.map { $0 ^ 0x5A } }
        }

        /// Writes it out in the open, for a test that wants to use it; the test wipes what it wrote.
        package func write(to start: UnsafeMutablePointer<UInt8>) {
            for index in masked.indices { start[index] = masked[index] ^ 0x5A }
        }
    }

    /// True under the address sanitizer, which keeps terabytes of its own among the memory to look through, and what
    /// was freed besides.
    package static var isSanitized: Bool { dlsym(nil, "__asan_init") != nil }

    /// One search at a time: each has pieces of all memory in a buffer, which another one would find.
    private static let turn = Mutex(())

    /// Returns the number of needles that are somewhere in writable memory.
    package static func count(of needles: [Needle]) throws -> Int {
        try turn.withLock { _ in try search(for: needles) }
    }

    private static func search(for needles: [Needle]) throws -> Int {
        var found = Set<Int>()
        let memory = open("/proc/self/mem", O_RDONLY)
        guard memory >= 0 else { throw POSIXError(.EACCES) }
        defer { close(memory) }
        let chunkByteCount = 1 << 20
        let chunk = UnsafeMutablePointer<UInt8>.allocate(capacity: chunkByteCount)
        defer {
            chunk.update(repeating: 0, count: chunkByteCount)
            chunk.deallocate()
        }
        // The needle stands here during the search: the C library searches much faster than a loop.
        let plainByteCount = needles.map(\.masked.count).max() ?? 0
        let plain = UnsafeMutablePointer<UInt8>.allocate(capacity: max(plainByteCount, 1))
        defer {
            plain.update(repeating: 0, count: plainByteCount)
            plain.deallocate()
        }
        let own = [(chunk, chunkByteCount), (plain, plainByteCount)].map { start, count in
            UInt(bitPattern: start)..<UInt(bitPattern: start) + UInt(count)
        }
        for region in try writableRegions() {
            var start = region.lowerBound
            while start < region.upperBound {
                let count = pread(memory, chunk, min(chunkByteCount, Int(region.upperBound - start)), off_t(start))
                guard count > 32 else { break }
                for (index, needle) in needles.enumerated() where !found.contains(index) {
                    needle.write(to: plain)
                    var from = 0
                    while from < count {
                        let next = lk_find_bytes(chunk + from, count - from, plain, needle.masked.count)
                        guard next >= 0 else { break }
                        if !own.contains(where: { $0.contains(start + UInt(from + next)) }) { found.insert(index) }
                        from += next + 1
                    }
                }
                // The end of one piece is looked at again with the next, in case a secret lies across.
                start += UInt(count == chunkByteCount ? count - 32 : count)
            }
        }
        return found.count
    }

    private static func writableRegions() throws -> [Range<UInt>] {
        // Read to the end by hand: the file says it has no bytes, and comes in pieces.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        defer { try? file.close() }
        var text = Data()
        while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { text.append(piece) }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 1, fields[1].hasPrefix("rw"), !line.hasSuffix("[vvar]") else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
        }
    }
}
