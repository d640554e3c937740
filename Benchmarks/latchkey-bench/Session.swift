import Foundation

/// One run of the benchmarks: the rows asked for, in order, and what they share.
final class Session {
    let options: Options
    let scratch: String
    let population: Population

    typealias Row = @Sendable (Session) throws -> Finding

    static let rows: [(name: String, run: Row)] = [
        ("find-1-of-100", FindRow.run),
        ("find-flat", FindFlatRow.run),
        ("c-find-1-of-100", CRows.find),
        ("c-start", CRows.start),
        ("kit-first-test", KitRow.run),
        ("add-durable", AddRow.run),
        ("add-durable-limit", AddLimitRows.oneClient),
        ("add-16-clients", ConcurrentAddRow.run),
        ("add-16-clients-limit", AddLimitRows.manyClients),
        ("start-flat", StartRow.run),
        ("memory", MemoryRow.run),
        ("connect-known", ConnectRows.known),
        ("connect-unknown", ConnectRows.unknown),
        ("find-signed", ConnectRows.find),
        ("find-with-reused-authentication", AuthenticationRows.reused),
        ("match-to-data", AuthenticationRows.matchToData),
        ("enclave-sign", KeyRows.sign),
        ("enclave-sign-ssh-agent", KeyRows.signAgainstAgent),
        ("verify-in-process", KeyRows.verify),
        ("find-identity-1-of-10000", FindFlatRow.identity),
        ("cc-aes-cbc", CryptoRows.aesCBC),
        ("cc-sha256", CryptoRows.sha256),
        ("cc-hmac", CryptoRows.hmac),
        ("cc-aes-cbc-16", CryptoRows.shortMessages),
        ("rncryptor-encrypt", CryptoRows.encrypt),
        ("rncryptor-decrypt", CryptoRows.decrypt),
        ("rncryptor-python", CryptoRows.python),
        ("encrypt-memory", CryptoRows.memory),
        ("file-write", FileRows.write),
        ("file-read", FileRows.read),
        ("sqlite-speedtest", DatabaseRows.rollback),
        ("sqlite-speedtest-wal", DatabaseRows.log),
        ("sqlite-speedtest-sqlcipher", DatabaseRows.cipher),
        ("sqlite-speedtest-sqlcipher-wal", DatabaseRows.cipherLog),
        ("volume-write-1GiB", VolumeRows.write),
        ("volume-read-1GiB", VolumeRows.read),
        ("volume-write-1GiB-passthrough", VolumeRows.writeAgainstPassthrough),
        ("volume-read-1GiB-passthrough", VolumeRows.readAgainstPassthrough),
        ("volume-create-10k", VolumeTreeRows.create),
        ("volume-untar", VolumeTreeRows.unpack),
        ("volume-list", VolumeTreeRows.list),
        ("backup-1GiB-encrypted", BackupRows.create),
        ("restore-1GiB-encrypted", BackupRows.restore),
        ("backup-incremental", BackupRows.incremental),
        ("backup-import-100k", BackupRows.items),
        ("backup-import-memory", BackupRows.memory),
        ("import-ios-backup-100k", BackupRows.command),
        ("import-ios-backup-memory", BackupRows.commandMemory),
        ("import-ios-backup-flat", BackupRows.commandFlat),
        ("sync-item-folder", SyncRows.item),
        ("sync-item-etcd", SyncEtcdRows.item),
        ("sync-publish-etcd", SyncEtcdRows.publish),
        ("sync-cost-of-local-add", SyncRows.localAdd),
        ("sync-receive", SyncRows.receive),
        ("sync-first-10k", SyncRows.first10k),
        ("sync-first-100k", SyncRows.first100k),
        ("sync-join", SyncRows.join),
        ("sync-idle", SyncRows.idle),
        ("sync-memory", SyncRows.memory),
    ]

    init(_ options: Options) {
        self.options = options
        scratch = options.scratch + "/latchkey-bench-\(ProcessInfo.processInfo.processIdentifier)"
        population = Population(scratch: scratch)
    }

    func run() throws {
        let known = Set(Self.rows.map(\.name))
        if let unknown = options.rows.first(where: { !known.contains($0) }) {
            throw Failure("there is no row \(unknown); the rows are \(Self.rows.map(\.name).joined(separator: " "))")
        }
        try FileManager.default.createDirectory(
            atPath: scratch, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        var findings: [Finding] = []
        for row in Self.rows where options.rows.isEmpty || options.rows.contains(row.name) {
            FileHandle.standardError.write(Data("measuring \(row.name)\n".utf8))
            findings.append(try row.run(self))
        }
        print(Report.table(findings))
        if let path = options.jsonPath { try Report.json(findings).write(to: URL(fileURLWithPath: path)) }
    }

    /// A client of the device, warmed up by the first calls of each kind.
    func client(of device: RunningDevice) throws -> Worker {
        try Worker(role: ["client"], processor: options.pinning.clients, environment: device.environment)
    }

    /// Starts a device, hands it over, and stops it whatever happens.
    func withDevice<R>(
        _ directory: String, options daemonOptions: [String] = [], _ body: (RunningDevice) throws -> R
    ) throws -> R {
        let device = try RunningDevice(directory, options: daemonOptions, processor: options.pinning.servers)
        do {
            try device.waitUntilReady()
            let result = try body(device)
            try device.stop()
            return result
        } catch {
            try? device.stop()
            throw error
        }
    }

    /// One uncounted pair, then as many as the options ask for. Value and limit follow each other closely, so that what
    /// disturbs the machine disturbs both.
    func pairs(
        value: () throws -> Double, limit: () throws -> Double
    ) throws -> [(value: Double, limit: Double)] {
        _ = (try value(), try limit())
        return try (0..<options.rounds).map { _ in (try value(), try limit()) }
    }

    /// Repeats the subject alone while a profiler looks, if the options say so.
    func profile(_ body: () throws -> Void) throws {
        guard let seconds = options.profiledSeconds else { return }
        FileHandle.standardError.write(Data("running for \(seconds) s\n".utf8))
        let end = nanoseconds() + UInt64(seconds * 1e9)
        while nanoseconds() < end { try body() }
    }
}
