internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore

/// The names of single values of a circle in the item database.
enum CircleValue {
    /// The identity of this device: an `IdentityRecord`.
    static let identity = "identity"
    /// The founding statement, with which the graph begins.
    static let founding = "founding"
    static let headUptime = "head-uptime"
    static let confirmed = "confirmed"
    static let acknowledged = "acknowledged"
    static let firsts = "firsts"
    static let snapshotNumber = "snapshot-number"
    static let owesSnapshot = "owes-snapshot"
    static let isLoading = "is-loading"
    static let hasJoined = SyncValueName.hasJoined
    static let circleSecret = "circle-secret"
}

/// The failure of reading tables that no release of this program has written.
struct DamagedTable: Error {
    let table: String
}

/// The durable state of a replica in the tables of the item database.
enum SyncTables {
    /// Reads the state of the device.
    static func state(of device: DeviceIdentifier, in reader: ItemReader) throws -> ReplicaState {
        var state = ReplicaState(
            device: device, hasJoined: try reader.flag(CircleValue.hasJoined))
        for change in try changes(device, reader) { state.apply(change) }
        return state
    }

    private static func changes(_ device: DeviceIdentifier, _ reader: ItemReader) throws -> [TableChange] {
        var changes: [TableChange] = []
        for row in try reader.syncItems() {
            guard let known = row.known else { continue }
            changes.append(.item(try name(row.name), try KnownItem(known)))
        }
        for (bytes, known) in try reader.syncReplaced() {
            changes.append(.replaced(try name(bytes), try KnownItem(known)))
        }
        if let clock = try reader.deviceClock() { changes.append(.clock(clock)) }
        for stream in try reader.syncStreams() {
            let last = try Dot(stream.last)
            changes.append(.applied(last.stream, last.number, stream.mark.flatMap { ObjectHash($0) }))
        }
        for (dot, bytes) in try reader.syncKnowledge() {
            changes.append(.knowledge(try Dot(dot), try VersionVector(parsing: bytes)))
        }
        for (dot, bytes) in try reader.syncPending() {
            changes.append(.pending(try Dot(dot), try StoredObject.segment(bytes).sealed))
        }
        for (_, bytes) in try reader.syncOutbox() {
            let stored = try StoredObject.segment(bytes)
            changes.append(.outbox(stored.sealed.dot, stored.sealed.seal))
        }
        for (writer, bytes) in try reader.syncHeads() {
            let head = try StoredObject.head(bytes)
            let isOwn = writer == device.bytes
            changes.append(isOwn ? .head(head, at: try reader.number(CircleValue.headUptime)) : .seen(head))
        }
        let snapshots = try reader.syncSnapshots()
        changes.append(.snapshot(try snapshots.current.map { try OwnSnapshot($0) }))
        changes.append(.previousSnapshots(try snapshots.previous.map { try OwnSnapshot($0) }))
        changes.append(.snapshotNumber(try reader.number(CircleValue.snapshotNumber)))
        changes.append(.owesSnapshot(try reader.flag(CircleValue.owesSnapshot)))
        changes.append(.loading(try reader.flag(CircleValue.isLoading)))
        if let confirmed = try reader.perZone(CircleValue.confirmed) { changes.append(.confirmed(confirmed)) }
        if let numbers = try reader.perZone(CircleValue.acknowledged) { changes.append(.acknowledged(numbers)) }
        if let firsts = try reader.perZone(CircleValue.firsts) {
            changes += ZoneClass.allCases.map { .first($0, firsts[$0]) }
        }
        for bytes in try reader.syncDuplicated() {
            guard let duplicated = DeviceIdentifier(bytes) else { throw DamagedTable(table: "syncduplicated") }
            changes.append(.duplicated(duplicated))
        }
        return changes
    }

    private static func name(_ bytes: [UInt8]) throws -> ItemName {
        guard let name = ItemName(bytes) else { throw DamagedTable(table: "syncitems") }
        return name
    }
}

extension ItemReader {
    func number(_ name: String) throws -> UInt64 {
        guard let bytes = try syncValue(named: name) else { return 0 }
        guard let number = UInt64(bigEndianBytes: bytes) else { throw DamagedTable(table: "syncvalues") }
        return number
    }

    func flag(_ name: String) throws -> Bool { try number(name) != 0 }

    func perZone(_ name: String) throws -> PerZone<UInt64>? {
        guard let bytes = try syncValue(named: name) else { return nil }
        guard let a = UInt64(bigEndianBytes: bytes.prefix(8)), let c = UInt64(bigEndianBytes: bytes.dropFirst(8))
        else { throw DamagedTable(table: "syncvalues") }
        return PerZone(a: a, c: c)
    }
}

extension ItemReader {
    /// The stored clock; nil outside of a circle.
    func deviceClock() throws -> DeviceClock? {
        try syncClock().map { DeviceClock($0) }
    }
}

extension DeviceClock {
    init(_ row: SyncClockRow) {
        self.init(epoch: EpochNumber(row.epoch), time: row.time, count: row.count)
    }
}

extension ItemWriter {
    /// Moves the stored clock forward.
    /// - Returns: true if calls that waited for an epoch have their versions now.
    @discardableResult
    func raiseClock(to clock: DeviceClock) throws -> Bool {
        try raiseSyncClock(to: SyncClockRow(epoch: clock.epoch.rawValue, time: clock.time, count: clock.count))
    }

    func set(_ number: UInt64, _ name: String) throws {
        try setSyncValue(number.bigEndianBytes, named: name)
    }

    func set(_ flag: Bool, _ name: String) throws { try set(flag ? 1 as UInt64 : 0, name) }

    func set(_ numbers: PerZone<UInt64>, _ name: String) throws {
        try setSyncValue(numbers.a.bigEndianBytes + numbers.c.bigEndianBytes, named: name)
    }
}

extension Dot {
    init(_ row: SyncDotRow) throws {
        guard let device = DeviceIdentifier(row.device), let zone = ZoneClass(rawValue: row.zone) else {
            throw DamagedTable(table: "syncstreams")
        }
        self.init(StreamIdentifier(device, zone), row.number)
    }

    var row: SyncDotRow { SyncDotRow(device: stream.device.bytes, zone: stream.zone.rawValue, number: number) }
}

extension KnownItem {
    init(_ row: SyncVersionRow) throws {
        guard let version = ItemVersion(row.version), let state = State(rawValue: row.state),
            let zone = ZoneClass(rawValue: row.zone)
        else { throw DamagedTable(table: "syncitems") }
        self.init(
            version: version, base: row.base.flatMap { ItemVersion($0) }, dot: try row.dot.map { try Dot($0) },
            state: state, zone: zone, digest: row.digest.flatMap { ObjectHash($0) })
    }

    var row: SyncVersionRow {
        SyncVersionRow(
            version: version.bytes, base: base?.bytes, dot: dot?.row, state: state.rawValue, zone: zone.rawValue,
            digest: digest?.bytes)
    }
}

extension OwnSnapshot {
    init(_ row: SyncSnapshotRow) throws {
        guard let hash = ObjectHash(row.hash), let byteCount = Int(exactly: row.byteCount) else {
            throw DamagedTable(table: "syncsnapshots")
        }
        self.init(
            reference: SnapshotReference(
                number: row.number, partCount: row.partCount, hash: hash, vector: try VersionVector(parsing: row.vector)
            ),
            byteCount: byteCount, writtenAt: row.written, wasReadBack: row.wasReadBack)
    }

    var row: SyncSnapshotRow {
        SyncSnapshotRow(
            number: reference.number, partCount: reference.partCount, hash: reference.hash.bytes,
            vector: reference.vector.bytes, byteCount: Int64(byteCount), written: writtenAt, wasReadBack: wasReadBack)
    }
}
