import Foundation

/// An archive of small and large files, the same in every run.
enum SampleArchive {
    static let fileCount = 2000
    private static let directoryCount = 100
    private static let largestByteCount = 60 << 10

    /// Makes the archive with the system's `tar`.
    static func make(at path: String) throws {
        let tree = path + "-tree"
        defer { try? FileManager.default.removeItem(atPath: tree) }
        var random = Sequence(state: 14)
        for index in 0..<fileCount {
            let directory = "\(tree)/directory-\(index % directoryCount)"
            if index < directoryCount {
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            }
            let byteCount = Int(random.next() % UInt64(largestByteCount + 1))
            var content = Data(capacity: byteCount + 8)
            while content.count < byteCount {
                withUnsafeBytes(of: random.next()) { content.append(contentsOf: $0) }
            }
            try content.prefix(byteCount).write(to: URL(fileURLWithPath: "\(directory)/file-\(index)"))
        }
        try tar(["-cf", path, "-C", tree, "."])
    }

    /// Compares names, content, lengths, times and permissions with the archive.
    static func verify(_ folder: String, with path: String) throws {
        try tar(["--compare", "-f", path, "-C", folder])
    }

    static func unpack(_ path: String, in folder: String) throws {
        try tar(["-xf", path, "-C", folder])
    }

    private static func tar(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
        process.arguments = arguments
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("tar \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
    }

    /// The generator SplitMix64.
    private struct Sequence: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var word = state
            word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
            return word ^ (word >> 31)
        }
    }
}
