import CLatchkeyBenchPeers
import DataProtection
import Foundation

/// Protected files, through the public API, and the same blocks under libcrypto alone.
final class FileClient {
    private static let pieceByteCount = 128 << 10
    private static let tagsByteCount = 512

    private let piece = Data((0..<pieceByteCount).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) })
    private let key = (0..<32).map { UInt8($0) }
    private var tags: [UInt8] = []

    private static func url(_ folder: String) -> URL {
        URL(fileURLWithPath: folder).appendingPathComponent("latchkey-bench-file-\(getpid())")
    }

    /// Writes a new file in pieces, and waits until it is on disk.
    func write(_ folder: String, mebibytes: Int) throws -> UInt64 {
        let url = Self.url(folder)
        try? FileManager.default.removeItem(at: url)
        return try nanoseconds {
            let file = try ProtectedFileHandle(forCreating: url, protection: .complete)
            for _ in 0..<Self.pieces(mebibytes) { try file.write(contentsOf: piece) }
            try file.synchronize()
            try file.close()
        }
    }

    /// Reads the file that ``write(_:mebibytes:)`` made, and removes it.
    func read(_ folder: String, mebibytes: Int) throws -> UInt64 {
        let url = Self.url(folder)
        if !FileManager.default.fileExists(atPath: url.path) { _ = try write(folder, mebibytes: mebibytes) }
        var wrong = 0
        let time = try nanoseconds {
            let file = try ProtectedFileHandle(forReadingFrom: url)
            for _ in 0..<Self.pieces(mebibytes) {
                let found = try file.read(upToCount: Self.pieceByteCount)
                // The whole is authenticated by the file itself.
                if found?.count != piece.count || found?.last != piece.last { wrong += 1 }
            }
            try file.close()
        }
        guard wrong == 0 else { throw Failure("\(wrong) pieces of a protected file are not what was written") }
        try FileManager.default.removeItem(at: url)
        return time
    }

    /// Writes or reads as much with libcrypto alone, in pieces of the same size.
    func bare(_ folder: String, mebibytes: Int, sealing: Bool) throws -> UInt64 {
        let path = Self.url(folder).path + "-bare"
        let pieces = Self.pieces(mebibytes)
        if tags.count != pieces * Self.tagsByteCount {
            tags = [UInt8](repeating: 0, count: pieces * Self.tagsByteCount)
            if !sealing { _ = try bare(folder, mebibytes: mebibytes, sealing: true) }
        }
        var buffer = Array(piece)
        var outcome: Int32 = 0
        let time = nanoseconds {
            outcome = lkb_file_run(path, key, &buffer, pieces, &tags, sealing ? 1 : 0)
        }
        guard outcome == 0, buffer == Array(piece) else { throw Failure("libcrypto did not run over a file") }
        return time
    }

    private static func pieces(_ mebibytes: Int) -> Int { mebibytes << 20 / pieceByteCount }
}
