import Foundation
import Glibc

/// Backups: large files in a memory file system, against libcrypto over the same bytes; unchanged files on a disk, against the
/// full run; items on a disk, against adding them.
enum BackupRows {
    /// The disk would decide the rows of large files otherwise.
    private static let memoryFolder = "/dev/shm"
    private static let files = 64
    private static let byteCount = 16 << 20
    private static let unchangedFiles = 100_000
    private static let items = 100_000
    private static let limitMebibytes = 64.0
    private static let mebibytes = Double(files * byteCount >> 20)

    static func create(_ session: Session) throws -> Finding {
        try withClient(of: session, in: memoryFolder) { client in
            _ = try client.seconds("files \(files) \(byteCount)")
            return Finding(
                name: "backup-1GiB-encrypted",
                pairs: try session.pairs(
                    value: { mebibytes / (try client.seconds("full")) },
                    limit: { mebibytes / (try client.seconds("copy-in")) }),
                unit: "MiB/s", against: "AES-256-CBC by libcrypto from file to file", demand: .atLeast(0.7),
                notes: ["\(files) files of 16 MiB"])
        }
    }

    static func restore(_ session: Session) throws -> Finding {
        try withClient(of: session, in: memoryFolder) { client in
            _ = try client.seconds("files \(files) \(byteCount)")
            _ = (try client.seconds("full"), try client.seconds("copy-in"))
            return Finding(
                name: "restore-1GiB-encrypted",
                pairs: try session.pairs(
                    value: { mebibytes / (try client.seconds("restore")) },
                    limit: { mebibytes / (try client.seconds("copy-out")) }),
                unit: "MiB/s", against: "AES-256-CBC by libcrypto from file to file", demand: .atLeast(0.7),
                notes: ["\(files) files of 16 MiB"])
        }
    }

    static func incremental(_ session: Session) throws -> Finding {
        try withClient(of: session) { client in
            _ = try client.seconds("files \(unchangedFiles) 4096")
            let full = try client.seconds("full")
            return Finding(
                name: "backup-incremental",
                pairs: try session.pairs(value: { try client.seconds("again") }, limit: { full }), unit: "s",
                against: "the full run, measured once", demand: .atMost(0.05),
                notes: ["\(unchangedFiles) files of 4 KiB, none changed"])
        }
    }

    static func items(_ session: Session) throws -> Finding {
        try withClient(of: session) { client in
            let adds = Double(items) / (try client.seconds("items \(items)"))
            _ = try client.seconds("full")
            return Finding(
                name: "backup-import-100k",
                pairs: try session.pairs(
                    value: { Double(items) / (try client.seconds("restore")) }, limit: { adds }),
                unit: "items/s", against: "adds/s of 64 threads in the process, measured once", demand: .atLeast(0.5))
        }
    }

    /// The restore has a process of its own: what filled the device would count otherwise.
    static func memory(_ session: Session) throws -> Finding {
        try withClient(of: session) { client in
            _ = (try client.seconds("items \(items)"), try client.seconds("full"))
            let other = try start(session.scratch)
            defer { other.stop() }
            _ = try other.seconds("restore")
            let taken = try other.seconds("peak") * 1e9 / Double(1 << 20)
            return Finding(
                name: "backup-import-memory", pairs: [(taken, limitMebibytes)], unit: "MiB",
                against: "\(Report.number(limitMebibytes)) MiB", demand: .atMost(1),
                notes: ["the whole process, which is tool and device in one"])
        }
    }

    // MARK: The command

    /// `latchkey import ios-backup` with the processes of a new device.
    static func command(_ session: Session) throws -> Finding {
        try withClient(of: session) { client in
            let adds = Double(items) / (try client.seconds("items \(items)"))
            _ = try client.seconds("full")
            return Finding(
                name: "import-ios-backup-100k",
                pairs: try session.pairs(
                    value: { Double(items) / (try importing(client, session) { try $0.run() }) }, limit: { adds }),
                unit: "items/s", against: "adds/s of 64 threads in the process, measured once", demand: .atLeast(0.5),
                notes: ["from the start of the command to its end; it looks at every item before it imports the first"])
        }
    }

    static func commandMemory(_ session: Session) throws -> Finding {
        let peaks = try peaks(of: items, session)
        return Finding(
            name: "import-ios-backup-memory", pairs: [(peaks.command, limitMebibytes)], unit: "MiB",
            against: "\(Report.number(limitMebibytes)) MiB", demand: .atMost(1),
            notes: ["the command; \(peaks.note)"])
    }

    /// Twenty times as many items, in three processes that may not grow with them.
    static func commandFlat(_ session: Session) throws -> Finding {
        let (few, many) = (try peaks(of: items / 20, session), try peaks(of: items, session))
        return Finding(
            name: "import-ios-backup-flat", pairs: [(many.all, few.all)], unit: "MiB",
            against: "that of \(items / 20) items", demand: .atMost(1.25),
            notes: ["\(items) items: \(many.note)", "\(items / 20) items: \(few.note)"])
    }

    private struct Peaks {
        let command: Double
        let daemon: Double
        let enclave: Double

        var all: Double { command + daemon + enclave }
        var note: String {
            "command \(Report.number(command)), daemon \(Report.number(daemon)), enclave \(Report.number(enclave)) MiB"
        }
    }

    private static func peaks(of count: Int, _ session: Session) throws -> Peaks {
        try withClient(of: session) { client in
            _ = (try client.seconds("items \(count)"), try client.seconds("full"))
            return try importing(client, session) { command in
                let own = try command.peakMebibytes()
                return Peaks(
                    command: own, daemon: try command.device.peakMebibytes(of: command.device.daemonID),
                    enclave: try command.device.peakMebibytes(of: command.device.enclaveID))
            }
        }
    }

    /// Calls `body` with the command, before it runs, and a device that has no items.
    private static func importing<R>(
        _ client: Worker, _ session: Session, _ body: (ImportCommand) throws -> R
    ) throws -> R {
        let directory = session.scratch + "/import-device"
        try? FileManager.default.removeItem(atPath: directory)
        return try session.withDevice(directory) { device in
            try body(ImportCommand(backup: folder(session.scratch) + "/backups", device, scratch: session.scratch))
        }
    }

    private static func folder(_ place: String) -> String { "\(place)/latchkey-bench-backup-\(getpid())" }

    private static func withClient<R>(
        of session: Session, in folder: String? = nil, _ body: (Worker) throws -> R
    ) throws -> R {
        let client = try start(folder ?? session.scratch)
        defer {
            _ = try? client.seconds("remove")
            client.stop()
        }
        return try body(client)
    }

    private static func start(_ folder: String) throws -> Worker {
        try Worker(role: ["backup", Self.folder(folder)], processor: nil)
    }
}
