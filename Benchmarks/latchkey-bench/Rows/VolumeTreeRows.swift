import Foundation

/// Many files in a volume, against gocryptfs in the same memory file system.
enum VolumeTreeRows {
    private static let smallFiles = 10_000
    private static let least = Finding.Demand.atLeast(1.2)

    static func create(_ session: Session) throws -> Finding {
        try VolumeRows.withFolders(session, .gocryptfs) { client, volume, other in
            func speed(_ folder: String) throws -> Double {
                try inNewDirectory(of: folder) { directory in
                    let seconds = try client.seconds("create \(directory) \(smallFiles)")
                    try FolderClient.verifySmallFiles(directory, count: smallFiles)
                    return Double(smallFiles) / seconds
                }
            }
            let pairs = try session.pairs(value: { try speed(volume) }, limit: { try speed(other) })
            return finding("volume-create-10k", pairs, "files/s")
        }
    }

    static func unpack(_ session: Session) throws -> Finding {
        try VolumeRows.withFolders(session, .gocryptfs) { client, volume, other in
            try withArchive { archive in
                func speed(_ folder: String) throws -> Double {
                    try inNewDirectory(of: folder) { directory in
                        let seconds = try client.seconds("unpack \(archive) \(directory)")
                        try SampleArchive.verify(directory, with: archive)
                        return Double(SampleArchive.fileCount) / seconds
                    }
                }
                let pairs = try session.pairs(value: { try speed(volume) }, limit: { try speed(other) })
                return finding("volume-untar", pairs, "files/s")
            }
        }
    }

    static func list(_ session: Session) throws -> Finding {
        let listing = session.scratch + "/listing"
        return try VolumeRows.withFolders(session, .gocryptfs) { client, volume, other in
            try withArchive { archive in
                for folder in [volume, other] { try SampleArchive.unpack(archive, in: folder) }
                func speed(_ folder: String) throws -> Double {
                    try ColdCache.empty(for: folder)
                    // The program itself is read from the disk again.
                    _ = try client.seconds("list /dev/null \(Worker.word(listing))")
                    let seconds = try client.seconds("list \(folder) \(Worker.word(listing))")
                    let lines = try String(contentsOfFile: listing, encoding: .utf8).split(separator: "\n")
                    guard lines.count(where: { $0.hasPrefix("-") }) == SampleArchive.fileCount else {
                        throw Failure("ls does not list the files of \(folder)")
                    }
                    return Double(SampleArchive.fileCount) / seconds
                }
                let pairs = try session.pairs(value: { try speed(volume) }, limit: { try speed(other) })
                return finding("volume-list", pairs, "files/s", notes: [ColdCache.note])
            }
        }
    }

    private static func finding(
        _ name: String, _ pairs: [(value: Double, limit: Double)], _ unit: String, notes: [String] = []
    ) -> Finding {
        Finding(
            name: name, pairs: pairs, unit: unit, against: VolumeRows.Peer.gocryptfs.text, demand: least, notes: notes)
    }

    private static func withArchive<R>(_ body: (String) throws -> R) throws -> R {
        let archive =
            "\(MountedFolder.memoryFileSystem)/latchkey-bench-file-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: archive) }
        try SampleArchive.make(at: archive)
        return try body(archive)
    }

    /// Removes the directory afterwards, so that each round begins alike.
    private static func inNewDirectory(of folder: String, _ body: (String) throws -> Double) throws -> Double {
        let directory = folder + "/round"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let result = try body(directory)
        try FileManager.default.removeItem(atPath: directory)
        return result
    }
}
