import LatchkeyItemModel
import LatchkeySyncCore

/// Makes the versions of calls, in their transactions, from the stored clock: in the daemon, and in a program that opens the device itself.
///
/// Versions that are received later do not move them. Those that were received before have raised the stored clock, in the transactions that
/// applied them.
enum SyncStamps {
    /// Returns what the change of a call keeps. It has no version while the device is in no circle, or has not joined: joining drops versions.
    static func ofCall(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) -> SyncStampRow {
        let joined = "SELECT 1 FROM syncvalues WHERE name = ? AND value = ?"
        guard
            try connection.integer(joined, [.text(SyncValueName.hasJoined), .bytes(SyncValueName.isTrue)]) != nil
        else { return .none }
        var clock = try stored(connection) ?? DeviceClock()
        guard let next = clock.next(in: clock.epoch, wallClock: connection.now) else {
            return .waitingCall(epoch: clock.epoch.rawValue, time: connection.now)
        }
        try store(next, connection)
        return .call(SyncClockRow(next))
    }

    /// Moves the stored clock forward. In a new epoch the calls that waited for one get their versions, in their order.
    /// - Returns: true if there were such calls.
    static func raiseClock(
        _ connection: ConnectionStatements, to clock: DeviceClock
    ) throws(ItemDatabaseFailure) -> Bool {
        let former = try stored(connection)
        if let former, former >= clock { return false }
        try store(clock, connection)
        return former.map { $0.epoch < clock.epoch } ?? false ? try stampWaiting(connection, clock) : false
    }

    private static func stampWaiting(
        _ connection: ConnectionStatements, _ start: DeviceClock
    ) throws(ItemDatabaseFailure) -> Bool {
        let waiting = try connection.table(
            """
            SELECT number, time FROM syncchanges WHERE \(SyncStampRow.isWaitingCall)
            UNION SELECT change, time FROM syncunnamed WHERE \(SyncStampRow.isWaitingCall) ORDER BY 1
            """)
        var clock = start
        for row in waiting {
            guard let next = clock.next(in: clock.epoch, wallClock: try row.unsigned(1)) else { break }
            let values = SyncClockRow(next).values + [.integer(try row.integer(0))]
            for (table, number) in [("syncchanges", "number"), ("syncunnamed", "change")] {
                try connection.run(
                    """
                    UPDATE \(table) SET epoch = ?, time = ?, count = ?
                    WHERE \(number) = ? AND \(SyncStampRow.isWaitingCall)
                    """, values)
            }
        }
        try store(clock, connection)
        return !waiting.isEmpty
    }

    static func stored(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) -> DeviceClock? {
        try connection.table("SELECT epoch, time, count FROM syncclock").first?.clock(from: 0).clock
    }

    static func store(_ clock: DeviceClock, _ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        try connection.run(
            "INSERT OR REPLACE INTO syncclock (id, epoch, time, count) VALUES (1, ?, ?, ?)",
            SyncClockRow(clock).values)
    }

    /// Takes the versions from all calls that wait: the device joins, or has a new identity.
    ///
    /// Only calls have versions to lose. A restored row stays one: it loses to a newer deletion, also to one that the
    /// device has not met, which joining shows it. A row that is named again stays as the version of an item of this
    /// circle. Entering a circle has forgotten the items of the former one before, so that no row is named again there;
    /// and a new identity lists the rows anew whose versions it drops.
    static func dropAll(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        for table in ["syncchanges", "syncunnamed"] {
            try connection.run(
                """
                UPDATE \(table) SET origin = 0, epoch = NULL, time = NULL, count = NULL
                WHERE \(SyncStampRow.isOfCall)
                """)
        }
    }
}

extension ItemWriter {
    /// Moves the stored clock forward: to a version that was received, or to the first one of an epoch that the device writes in from now on.
    /// - Returns: true if calls that waited for the epoch have their versions now.
    @discardableResult
    package func raiseSyncClock(to clock: SyncClockRow) throws(ItemDatabaseFailure) -> Bool {
        try SyncStamps.raiseClock(connection, to: clock.clock)
    }

    /// Makes the clock parts of versions of now, and stores the last as the clock.
    /// - Returns: nil if the epoch has not as many left, or is older than the clock.
    package func makeSyncVersions(
        _ count: Int, inEpoch epoch: UInt32, at time: UInt64
    ) throws(ItemDatabaseFailure) -> [SyncClockRow]? {
        var clock = try SyncStamps.stored(connection) ?? DeviceClock()
        guard let clocks = clock.next(count, in: EpochNumber(epoch), wallClock: time) else { return nil }
        try SyncStamps.store(clock, connection)
        return clocks.map { SyncClockRow($0) }
    }

    /// Takes the versions from the calls that wait: the device has joined.
    package func dropSyncVersions() throws(ItemDatabaseFailure) {
        try SyncStamps.dropAll(connection)
    }
}
