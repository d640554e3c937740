import CLatchkeyShims
import Foundation
import LatchkeySecretMemory

/// Bytes that must not be found, kept disguised.
struct Needle: Sendable {
    private static let mask: UInt8 = 0x5A

    let name: String
    private let disguised: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        disguised = bytes.map { $0 ^ Self.mask }
    }

    init(_ name: String, _ secret: SecretBox) {
        self.init(name, secret.withBytes { Array($0) })
    }

    var bytes: [UInt8] { disguised.map { $0 ^ Self.mask } }
}

/// All readable memory of another process.
struct MemoryScan {
    private static let chunkByteCount = 1 << 20

    private let process: pid_t

    init(of process: pid_t) throws {
        self.process = process
    }

    /// Root may, unless a container took the right away.
    static var isPossible: Bool {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let effective = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        guard let word = effective?.split(whereSeparator: \.isWhitespace).last, let rights = UInt64(word, radix: 16)
        else { return false }
        return rights & 1 << rightToTrace != 0
    }

    /// `CAP_SYS_PTRACE`
    private static let rightToTrace: UInt64 = 19

    /// The names of the needles that are somewhere in the process's memory.
    func found(_ needles: [Needle]) throws -> [String] {
        let memory = open("/proc/\(process)/mem", O_RDONLY)
        guard memory >= 0 else { throw Failed("memory of \(process): \(String(cString: strerror(errno)))") }
        defer { close(memory) }
        let patterns = needles.map(\.bytes)
        let overlap = (patterns.map(\.count).max() ?? 1) - 1
        var hits = Set<Int>()
        var chunk = [UInt8](repeating: 0, count: Self.chunkByteCount + overlap)
        for region in try regions() {
            var start = region.lowerBound
            while start < region.upperBound {
                let wanted = min(chunk.count, Int(region.upperBound - start))
                let count = pread(memory, &chunk, wanted, off_t(truncatingIfNeeded: start))
                // Pages that no process may read, the kernel included, hold nothing that a scan could find.
                guard count > 0 else { break }
                for (index, pattern) in patterns.enumerated() where !hits.contains(index) {
                    if lk_find_bytes(chunk, count, pattern, pattern.count) >= 0 { hits.insert(index) }
                }
                start += UInt64(Self.chunkByteCount)
            }
        }
        return hits.sorted().map { needles[$0].name }
    }

    private func regions() throws -> [Range<UInt64>] {
        // Read to the end by hand: the file says it has no bytes, and comes in pieces.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/maps"))
        defer { try? file.close() }
        var text = Data()
        while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { text.append(piece) }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 2, words[1].hasPrefix("r"), !line.hasSuffix("[vvar]"), !line.hasSuffix("[vsyscall]")
            else { return nil }
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            return ends.count == 2 ? ends[0]..<ends[1] : nil
        }
    }
}
