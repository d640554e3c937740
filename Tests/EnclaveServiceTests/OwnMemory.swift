import Foundation
import SecretMemory

/// Looks for secrets in the memory of this process.
enum OwnMemory {
    /// A secret to look for, kept in a form in which it does not find itself.
    struct Needle: Sendable {
        fileprivate let masked: [UInt8]

        init(_ secret: SecretBox) {
            masked = secret.withBytes { $0.map { $0 ^ 0x5A } }
        }

        fileprivate func isAt(_ start: UnsafePointer<UInt8>) -> Bool {
            masked.indices.allSatisfy { start[$0] ^ 0x5A == masked[$0] }
        }
    }

    /// How many of the needles are somewhere in writable memory.
    static func count(of needles: [Needle]) throws -> Int {
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
        let own = UInt(bitPattern: chunk)
        for region in try writableRegions() {
            var start = region.lowerBound
            while start < region.upperBound {
                let count = pread(memory, chunk, min(chunkByteCount, Int(region.upperBound - start)), off_t(start))
                guard count > 32 else { break }
                for (index, needle) in needles.enumerated() where !found.contains(index) {
                    var from = 0
                    while from + 32 <= count,
                        let place = memchr(chunk + from, Int32(needle.masked[0] ^ 0x5A), count - from - 31)
                    {
                        let offset = place.assumingMemoryBound(to: UInt8.self) - UnsafeMutablePointer(chunk)
                        let address = start + UInt(offset)
                        let isOwn = (own..<own + UInt(chunkByteCount)).contains(address)
                        if !isOwn, needle.isAt(chunk + offset) { found.insert(index) }
                        from = offset + 1
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
