internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys

/// The statements of the circle and the keys that they share with this device, with their tables.
struct SyncMembership {
    let device: DeviceIdentifier
    var graph: StatementGraph
    var keyring: ZoneKeyring

    /// Reads the circle of this device; nil if it is in none.
    init?(_ reader: ItemReader) throws {
        guard let bytes = try reader.syncDevice() else { return nil }
        guard let device = DeviceIdentifier(bytes), let founding = try reader.syncValue(named: CircleValue.founding)
        else {
            throw DamagedTable(table: "syncvalues")
        }
        self.device = device
        graph = try StatementGraph(founding: SignedStatement(parsing: founding), verifier: P256StatementVerifier())
        let statements = try reader.syncStatements().map { try SignedStatement(parsing: $0.bytes) }
        // Verified when they were stored, and again here: the table is not trusted more than the store.
        _ = graph.insert(all: statements, verifier: P256StatementVerifier())
        keyring = ZoneKeyring(of: graph.circle)
    }

    /// Reads the wrapped keys.
    static func storedKeys(_ reader: ItemReader) throws -> [StoredKeyringEntry] {
        var entries = try reader.syncKeys().map { row in
            guard let epoch = ObjectHash(row.epoch), let zone = ZoneClass(rawValue: row.zone) else {
                throw DamagedTable(table: "synckeys")
            }
            return StoredKeyringEntry(.zoneKey(epoch, zone), wrapped: row.wrapped)
        }
        if let secret = try reader.syncValue(named: CircleValue.circleSecret) {
            entries.append(StoredKeyringEntry(.circleSecret, wrapped: secret))
        }
        return entries
    }

    /// Forgets the keys of a circle that this device has left.
    static func forgetKeys(_ writer: ItemWriter) throws {
        try writer.forgetSyncKeys()
        try writer.setSyncValue(nil, named: CircleValue.circleSecret)
    }

    /// Moves the stored clock to the first version of the epoch that the device writes in by these statements, in the transaction that stores
    /// them: a call that comes after them must not make a version of an epoch before.
    /// - Returns: true if calls that waited for the epoch have their versions now.
    @discardableResult
    static func raiseClock(_ graph: StatementGraph, _ writer: ItemWriter) throws -> Bool {
        guard let epoch = graph.state().writingEpoch else { return false }
        return try writer.raiseClock(to: DeviceClock(epoch: epoch.number))
    }

    /// Writes keys that are new in the keyring.
    static func write(_ entries: [StoredKeyringEntry], _ graph: StatementGraph, _ writer: ItemWriter) throws {
        for entry in entries {
            switch entry.subject {
            case .zoneKey(let epoch, let zone):
                let number = graph[epoch]?.statement.body.epoch?.number.rawValue ?? 0
                try writer.setSyncKey(
                    SyncKeyRow(epoch: epoch.bytes, zone: zone.rawValue, number: number, wrapped: entry.wrapped))
            case .circleSecret: try writer.setSyncValue(entry.wrapped, named: CircleValue.circleSecret)
            }
        }
    }
}
