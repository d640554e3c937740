import Foundation
import Glibc

/// The content of files in a volume, against other servers of FUSE in the same memory file system.
enum VolumeRows {
    /// The server that a volume is compared with.
    enum Peer {
        case gocryptfs, passthrough

        var text: String {
            switch self {
            case .gocryptfs: "the same in gocryptfs"
            case .passthrough: "the same in a folder whose server, in C, passes every request to the directory below"
            }
        }

        func mount(processor: String?) throws -> MountedFolder {
            switch self {
            case .gocryptfs: try .gocryptfs(processor: processor)
            case .passthrough: try .passthrough(processor: processor)
            }
        }
    }

    private static let mebibytes = 1024

    static func write(_ session: Session) throws -> Finding {
        try write(session, "volume-write-1GiB", .gocryptfs, 1.3)
    }

    static func writeAgainstPassthrough(_ session: Session) throws -> Finding {
        try write(session, "volume-write-1GiB-passthrough", .passthrough, 0.8)
    }

    static func read(_ session: Session) throws -> Finding {
        try read(session, "volume-read-1GiB", .gocryptfs, 1.3)
    }

    static func readAgainstPassthrough(_ session: Session) throws -> Finding {
        try read(session, "volume-read-1GiB-passthrough", .passthrough, 0.8)
    }

    private static func write(
        _ session: Session, _ name: String, _ peer: Peer, _ least: Double
    ) throws -> Finding {
        try withFolders(session, peer) { client, volume, other in
            func speed(_ folder: String) throws -> Double {
                let path = folder + "/content"
                let seconds = try client.seconds("write \(path) \(mebibytes)")
                try remove(path)
                return Double(mebibytes) / seconds
            }
            let pairs = try session.pairs(value: { try speed(volume) }, limit: { try speed(other) })
            return Finding(name: name, pairs: pairs, unit: "MiB/s", against: peer.text, demand: .atLeast(least))
        }
    }

    private static func read(
        _ session: Session, _ name: String, _ peer: Peer, _ least: Double
    ) throws -> Finding {
        try withFolders(session, peer) { client, volume, other in
            for folder in [volume, other] {
                _ = try client.seconds("write \(folder)/content \(mebibytes)")
                try ColdCache.empty(for: folder + "/content")
                try FolderClient().verify(folder + "/content", mebibytes: mebibytes)
            }
            func speed(_ folder: String) throws -> Double {
                let path = folder + "/content"
                try ColdCache.empty(for: path)
                return Double(mebibytes) / (try client.seconds("read \(path) \(mebibytes)"))
            }
            let pairs = try session.pairs(value: { try speed(volume) }, limit: { try speed(other) })
            return Finding(
                name: name, pairs: pairs, unit: "MiB/s", against: peer.text, demand: .atLeast(least),
                notes: [ColdCache.note])
        }
    }

    /// Mounts a volume and its peer, both before the first round, and unmounts them whatever happens.
    static func withFolders<R>(
        _ session: Session, _ peer: Peer, _ body: (_ client: Worker, _ volume: String, _ other: String) throws -> R
    ) throws -> R {
        let servers = session.options.pinning.servers
        return try session.withDevice(try session.population.device(of: 100)) { device in
            let volume = try MountedFolder.volume(of: device, processor: servers)
            return try volume.whileMounted {
                let other = try peer.mount(processor: servers)
                return try other.whileMounted {
                    let client = try Worker(role: ["folder"], processor: session.options.pinning.clients)
                    defer { client.stop() }
                    return try body(client, volume.folder, other.folder)
                }
            }
        }
    }

    /// Removes a file, and waits until its memory is free: that would be work beside the next measurement.
    private static func remove(_ path: String) throws {
        let before = freeMebibytes()
        try FileManager.default.removeItem(atPath: path)
        for _ in 0..<2000 where freeMebibytes() < before + mebibytes * 9 / 10 { usleep(1000) }
    }

    private static func freeMebibytes() -> Int {
        var space = statvfs()
        guard statvfs(MountedFolder.memoryFileSystem, &space) == 0 else { return 0 }
        return Int(space.f_bfree) * Int(space.f_frsize) >> 20
    }
}
