/// A row of the table: how it is measured, and what has to be there before.
struct Row: Sendable {
    let name: String
    /// The programs that it starts, built by `Scripts/bench` beside this one.
    let programs: Set<Program>
    let peers: [Peer]
    let run: @Sendable (Session) throws -> Finding

    /// One of the project's programs.
    enum Program: String, CaseIterable {
        case latchkey, latchkeyd
        case enclave = "latchkey-enclave"
        case transport = "latchkey-transport"
        case volume = "latchkey-volume"
        /// All of them as they are installed (Scripts/link-programs).
        case installed
    }

    init(
        _ name: String, _ programs: Set<Program> = .device, peers: [Peer] = [],
        run: @escaping @Sendable (Session) throws -> Finding
    ) {
        self.name = name
        self.programs = programs
        self.peers = peers
        self.run = run
    }
}

extension Set<Row.Program> {
    static let device: Self = [.latchkeyd, .enclave]
    static let tool: Self = device.union([.latchkey])
    static let circle: Self = tool.union([.transport])
    static let installed: Self = Set(Row.Program.allCases)
    static let volume: Self = tool.union([.volume])
}

extension Row {
    /// All rows, in the order of the table.
    static let all: [Row] = items + keys + crypto + files + backups + sync

    /// Finds the rows of these names, in the order of the table. No names: all.
    static func named(_ names: [String]) throws -> [Row] {
        let known = Set(all.map(\.name))
        if let unknown = names.first(where: { !known.contains($0) }) {
            throw Failure("there is no row \(unknown); the rows are \(all.map(\.name).joined(separator: " "))")
        }
        return names.isEmpty ? all : all.filter { names.contains($0.name) }
    }

    private static let items = [
        Row("find-1-of-100", run: FindRow.run),
        Row("find-flat", run: FindFlatRow.run),
        Row("item-find-all-10k", run: FindAllRows.tenThousand),
        Row("item-find-all-100k", run: FindAllRows.hundredThousand),
        Row("c-find-1-of-100", peers: [.securityForC], run: CRows.find),
        Row("c-start", peers: [.securityForC], run: CRows.start),
        Row("kit-first-test", [.latchkey], peers: [.kit], run: KitRow.run),
        Row("tool-start", .installed, peers: [.secretService], run: ToolRows.start),
        Row("tool-find-secret-tool", .installed, peers: [.secretService], run: ToolRows.findAgainstSecretTool),
        Row("tool-add-secret-tool", .installed, peers: [.secretService], run: ToolRows.addAgainstSecretTool),
        Row("tool-find-pass", .installed, peers: [.pass], run: ToolRows.findAgainstPass),
        Row("add-durable", run: AddRow.run),
        Row("add-durable-limit", run: AddLimitRows.oneClient),
        Row("add-16-clients", run: ConcurrentAddRow.run),
        Row("add-16-clients-limit", run: AddLimitRows.manyClients),
        Row("start-flat", run: StartRow.run),
        Row("memory", run: MemoryRow.run),
        Row("connect-known", run: ConnectRows.known),
        Row("connect-unknown", run: ConnectRows.unknown),
        Row("find-signed", run: ConnectRows.find),
        Row("find-with-reused-authentication", run: AuthenticationRows.reused),
        Row("match-to-data", run: AuthenticationRows.matchToData),
    ]

    private static let keys = [
        Row("enclave-sign", run: KeyRows.sign),
        Row("enclave-sign-ssh-agent", peers: [.sshAgent], run: KeyRows.signAgainstAgent),
        Row("verify-in-process", run: KeyRows.verify),
        Row("find-identity-1-of-10000", run: FindFlatRow.identity),
    ]

    private static let crypto = [
        Row("cc-aes-cbc", [], peers: [.openSSL], run: CryptoRows.aesCBC),
        Row("cc-sha256", [], peers: [.openSSL], run: CryptoRows.sha256),
        Row("cc-hmac", [], peers: [.openSSL], run: CryptoRows.hmac),
        Row("cc-aes-cbc-16", [], run: CryptoRows.shortMessages),
        Row("rncryptor-encrypt", [], run: CryptoRows.encrypt),
        Row("rncryptor-decrypt", [], run: CryptoRows.decrypt),
        Row("rncryptor-python", [], peers: [.pythonRNCryptor], run: CryptoRows.python),
        Row("encrypt-memory", .installed, run: CryptoRows.memory),
    ]

    private static let files = [
        Row("file-write", run: FileRows.write),
        Row("file-read", run: FileRows.read),
        Row("sqlite-speedtest", run: DatabaseRows.rollback),
        Row("sqlite-speedtest-wal", run: DatabaseRows.log),
        Row("sqlite-speedtest-sqlcipher", peers: [.sqlCipher], run: DatabaseRows.cipher),
        Row("sqlite-speedtest-sqlcipher-wal", peers: [.sqlCipher], run: DatabaseRows.cipherLog),
        Row("volume-write-1GiB", .volume, peers: [.gocryptfs], run: VolumeRows.write),
        Row("volume-read-1GiB", .volume, peers: [.gocryptfs], run: VolumeRows.read),
        Row("volume-write-1GiB-passthrough", .volume, peers: [.fuse], run: VolumeRows.writeAgainstPassthrough),
        Row("volume-read-1GiB-passthrough", .volume, peers: [.fuse], run: VolumeRows.readAgainstPassthrough),
        Row("volume-create-10k", .volume, peers: [.gocryptfs], run: VolumeTreeRows.create),
        Row("volume-untar", .volume, peers: [.gocryptfs], run: VolumeTreeRows.unpack),
        Row("volume-list", .volume, peers: [.gocryptfs, .root], run: VolumeTreeRows.list),
    ]

    private static let backups = [
        Row("backup-1GiB-encrypted", [], run: BackupRows.create),
        Row("restore-1GiB-encrypted", [], run: BackupRows.restore),
        Row("backup-incremental", [], run: BackupRows.incremental),
        Row("backup-import-100k", [], run: BackupRows.items),
        Row("backup-import-memory", [], run: BackupRows.memory),
        Row("import-ios-backup-100k", .tool, run: BackupRows.command),
        Row("import-ios-backup-memory", .tool, run: BackupRows.commandMemory),
        Row("import-ios-backup-flat", .tool, run: BackupRows.commandFlat),
    ]

    private static let sync = [
        Row("sync-item-folder", .circle, run: SyncRows.item),
        Row("sync-item-etcd", .circle, peers: [.etcd], run: SyncEtcdRows.item),
        Row("sync-publish-etcd", .circle, peers: [.etcd], run: SyncEtcdRows.publish),
        Row("sync-cost-of-local-add", .circle, run: SyncRows.localAdd),
        Row("sync-receive", .circle, run: SyncRows.receive),
        Row("sync-first-10k", .circle, run: SyncRows.first10k),
        Row("sync-first-100k", .circle, run: SyncRows.first100k),
        Row("sync-join", .circle, run: SyncRows.join),
        Row("sync-idle", .circle, run: SyncRows.idle),
        Row("sync-memory", .circle, run: SyncRows.memory),
    ]
}
