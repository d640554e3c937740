import Foundation

/// Protected files in a memory file system, against libcrypto over the same blocks.
enum FileRows {
    private static let mebibytes = 1024
    /// The disk would decide these rows otherwise.
    private static let folder = "/dev/shm"

    static func write(_ session: Session) throws -> Finding {
        try againstLibcrypto(session, "file-write")
    }

    static func read(_ session: Session) throws -> Finding {
        try againstLibcrypto(session, "file-read")
    }

    private static func againstLibcrypto(_ session: Session, _ name: String) throws -> Finding {
        try session.withDevice(try session.population.device(of: 100)) { device in
            let client = try session.client(of: device)
            defer {
                client.stop()
                removeFiles()
            }
            let pairs = try session.pairs(
                value: { Double(mebibytes) / (try client.seconds("\(name) \(folder) \(mebibytes)")) },
                limit: { Double(mebibytes) / (try client.seconds("bare-\(name) \(folder) \(mebibytes)")) })
            return Finding(
                name: name, pairs: pairs, unit: "MiB/s",
                against: "AES-256-GCM by libcrypto over blocks of 4 KiB, and the same calls of the file system",
                demand: .atLeast(0.8))
        }
    }

    static func removeFiles() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix("latchkey-bench-file-") {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }
}
