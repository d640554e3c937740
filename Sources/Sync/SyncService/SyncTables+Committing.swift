internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncStore

/// The bytes and items that the changes of a transaction name.
struct TransactionContents {
    /// Sealed objects of this device, and verified ones of others.
    var bytes: [ObjectHash: [UInt8]] = [:]
    /// Items that are written to rows.
    var items: [ItemName: RemoteRows.Prepared] = [:]
    /// The versions of these items.
    var versions: [ItemName: ItemVersion] = [:]
    /// The versions of items that are gone.
    var deletions: [ItemName: ItemVersion] = [:]
    /// Conflict versions that are not in rows, by the position of the change.
    var conflicts: [Int: RemoteRows.Prepared] = [:]
    var lastChange: Int64 = 0
}

extension SyncTables {
    /// - Returns: true if calls that waited for an epoch have their versions now: they have to be reported again.
    static func commit(
        _ transaction: ReplicaTransaction, of device: DeviceIdentifier, _ contents: TransactionContents,
        _ rows: RemoteRows, _ writer: ItemWriter
    ) throws -> Bool {
        var hasVersions = false
        let known = try knownTimes(of: transaction, writer.reader)
        for (position, change) in transaction.changes.enumerated() {
            if case .clock(let clock) = change {
                if try writer.raiseClock(to: clock) { hasVersions = true }
            } else {
                try commit(change, at: position, device, contents, known, rows, writer)
            }
        }
        if transaction.forgetsDeletions { try writer.forgetOldDeletions() }
        return hasVersions
    }

    /// The names of the rows that a transaction reads or writes, and of the items that it receives or gives their first
    /// version: a change of a program that the replica was not told must not meet any of these.
    static func rowNames(of transaction: ReplicaTransaction) -> Set<[UInt8]> {
        let isReceived = transaction.appliesReceived
        return Set(
            transaction.changes.compactMap { change in
                switch change {
                case .item(let name, _): isReceived ? name.bytes : nil
                case .row(let name, _), .versioned(let name): name.bytes
                case .conflict(let version): version.name.bytes
                default: nil
                }
            })
    }

    /// The times of the versions that the rows which a transaction writes had before, while a row waits for its name:
    /// only such a row may have something else.
    private static func knownTimes(
        of transaction: ReplicaTransaction, _ reader: ItemReader
    ) throws -> [ItemName: UInt64] {
        let names = transaction.changes.compactMap { change in
            if case .row(let name, _) = change { name } else { nil }
        }
        guard !names.isEmpty, try reader.lastUnnamedChange() != nil else { return [:] }
        return try names.reduce(into: [:]) { times, name in
            times[name] = try reader.syncItem(named: name.bytes)?.known?.time
        }
    }

    private static func commit(
        _ change: TableChange, at position: Int, _ device: DeviceIdentifier, _ contents: TransactionContents,
        _ known: [ItemName: UInt64], _ rows: RemoteRows, _ writer: ItemWriter
    ) throws {
        switch change {
        case .item(let name, let item): try writer.setSyncItem(item?.row, named: name.bytes)
        case .replaced(let name, let item): try writer.setSyncReplaced(item?.row, named: name.bytes)
        case .row(let name, .some):
            guard let prepared = contents.items[name] else { throw DamagedTable(table: "rows") }
            try rows.put(prepared, version: contents.versions[name]?.bytes, over: known[name], writer)
        case .row(let name, nil):
            try rows.bury(
                named: name.bytes, deletedAt: contents.deletions[name]?.time, over: known[name], writer)
        case .conflict(let version):
            let (name, known) = (version.name.bytes, version.version?.bytes)
            if case .row = version.source {
                try rows.keepConflict(named: name, version: known, reason: version.reason.row, writer)
            } else if let prepared = contents.conflicts[position] {
                try rows.keepConflict(prepared, version: known, reason: version.reason.row, writer)
            }
        case .noted(let name): try writer.forgetSyncChange(of: name.bytes, upTo: contents.lastChange)
        case .forgottenDeletion(let name, let time): try writer.noteForgottenDeletion(of: name.bytes, at: time)
        case .received, .versioned, .clock: break
        case .applied(let stream, let number, let mark):
            try writer.setSyncStream(SyncStreamRow(last: Dot(stream, number).row, mark: mark?.bytes))
        case .knowledge(let dot, let vector): try writer.setSyncKnowledge(vector?.bytes, of: dot.row)
        case .outbox(let dot, let seal):
            try writer.setSyncOutbox(
                try seal.map { try bytes($0.hash, contents) }, named: StoreObjectName.segment(dot).description)
        case .pending(let dot, let segment):
            try writer.setSyncPending(try segment.map { try bytes($0.hash, contents) }, of: dot.row)
        case .first(let zone, let number):
            var firsts = try writer.reader.perZone(CircleValue.firsts) ?? PerZone(both: 1)
            firsts[zone] = number
            try writer.set(firsts, CircleValue.firsts)
        case .loading(let isLoading): try writer.set(isLoading, CircleValue.isLoading)
        case .head(let head, let uptime):
            try writer.setSyncHead(try bytes(head.hash, contents), of: device.bytes)
            try writer.set(uptime, CircleValue.headUptime)
        case .confirmed(let numbers): try writer.set(numbers, CircleValue.confirmed)
        case .acknowledged(let numbers): try writer.set(numbers, CircleValue.acknowledged)
        case .seen(let head): try writer.setSyncHead(try bytes(head.hash, contents), of: head.device.bytes)
        case .forgotten(let other): try writer.setSyncHead(nil, of: other.bytes)
        case .snapshot(let snapshot): try writer.setSyncSnapshot(snapshot?.row)
        case .previousSnapshots(let snapshots): try writer.setPreviousSyncSnapshots(snapshots.map(\.row))
        case .snapshotNumber(let number): try writer.set(number, CircleValue.snapshotNumber)
        case .owesSnapshot(let owes): try writer.set(owes, CircleValue.owesSnapshot)
        case .joined:
            try writer.dropSyncVersions()
            try writer.set(true, CircleValue.hasJoined)
        case .duplicated(let other): try writer.addSyncDuplicated(other.bytes)
        }
    }

    private static func bytes(_ hash: ObjectHash, _ contents: TransactionContents) throws -> [UInt8] {
        guard let bytes = contents.bytes[hash] else { throw DamagedTable(table: "objects") }
        return bytes
    }
}

extension ReplicaTransaction {
    fileprivate var forgetsDeletions: Bool {
        changes.contains { change in
            if case .forgottenDeletion = change { true } else { false }
        }
    }
}

extension ConflictReason {
    fileprivate var row: SyncConflictRow.Reason {
        switch self {
        case .overruled: .overruled
        case .deleted: .deleted
        case .joined: .joined
        }
    }
}
