import LatchkeyItemModel

/// The statements of `syncclock`, `syncsnapshots`, `synckeys`, `syncstatements` and `syncvalues`.
extension ItemReader {
    /// The identifier of this device in its circle; nil if it is in no circle.
    package func syncDevice() throws(ItemDatabaseFailure) -> [UInt8]? {
        try syncValue(named: SyncValueName.device)
    }

    package func syncValue(named name: String) throws(ItemDatabaseFailure) -> [UInt8]? {
        try connection.table("SELECT value FROM syncvalues WHERE name = ?", [.text(name)]).first?.bytes(0)
    }

    package func syncClock() throws(ItemDatabaseFailure) -> SyncClockRow? {
        try SyncStamps.stored(connection).map { SyncClockRow($0) }
    }

    /// The statements in the order in which they arrived.
    package func syncStatements() throws(ItemDatabaseFailure) -> [SyncStatementRow] {
        var statements: [SyncStatementRow] = []
        for row in try connection.table("SELECT hash, bytes FROM syncstatements ORDER BY arrival") {
            statements.append(SyncStatementRow(hash: try row.bytes(0), bytes: try row.bytes(1)))
        }
        return statements
    }

    package func syncKeys() throws(ItemDatabaseFailure) -> [SyncKeyRow] {
        var keys: [SyncKeyRow] = []
        let rows = try connection.table(
            "SELECT epoch, zone, number, wrapped FROM synckeys ORDER BY number, epoch, zone")
        for row in rows {
            guard let number = UInt32(exactly: try row.integer(2)) else { throw .damaged("synckeys is out of range") }
            keys.append(
                SyncKeyRow(epoch: try row.bytes(0), zone: try row.byte(1), number: number, wrapped: try row.bytes(3)))
        }
        return keys
    }

    /// The snapshot that the head names, and those before it that are still in the store, in the order of their numbers.
    package func syncSnapshots() throws(ItemDatabaseFailure) -> (
        current: SyncSnapshotRow?, previous: [SyncSnapshotRow]
    ) {
        var (current, previous): (SyncSnapshotRow?, [SyncSnapshotRow]) = (nil, [])
        let rows = try connection.table(
            "SELECT number, hash, vector, bytecount, written, readback, current, parts FROM syncsnapshots ORDER BY number"
        )
        for row in rows {
            let snapshot = SyncSnapshotRow(
                number: try row.unsigned(0), partCount: Int(try row.integer(7)), hash: try row.bytes(1),
                vector: try row.bytes(2),
                byteCount: try row.integer(3), written: try row.unsigned(4), wasReadBack: try row.integer(5) != 0)
            if try row.integer(6) != 0 { current = snapshot } else { previous.append(snapshot) }
        }
        return (current, previous)
    }
}

extension ItemWriter {
    /// Puts the device into a circle. Every synchronizable row waits for its name.
    package func enterCircle(as device: [UInt8]) throws(ItemDatabaseFailure) {
        try forgetCircle()
        try setSyncValue(device, named: SyncValueName.device)
        try nameAllAgain()
    }

    /// Forgets all publications of the device, done and due. Its knowledge of the circle stays.
    /// - Parameter keepsPending: true if the vector counts what the device has applied.
    package func renewCircle(as device: [UInt8], formerly old: [UInt8], keepsPending: Bool) throws(ItemDatabaseFailure)
    {
        try RowListings.keepPlaces(connection)
        for table in ["syncreplaced", "syncchanges", "syncoutbox", "syncsnapshots", "syncstreams", "syncduplicated"] {
            try connection.run("DELETE FROM \(table)")
        }
        try SyncStamps.dropAll(connection)
        if !keepsPending { try connection.run("DELETE FROM syncpending") }
        try setSyncHead(nil, of: old)
        try setSyncValue(device, named: SyncValueName.device)
    }

    /// Forgets everything about the circle. The items and the conflicts stay.
    package func forgetCircle() throws(ItemDatabaseFailure) {
        for table in [
            "syncitems", "syncreplaced", "syncchanges", "syncunnamed", "syncdeleted", "syncclock", "syncstreams",
            "syncknowledge",
            "syncpending", "syncoutbox", "syncheads", "syncsnapshots", "syncduplicated", "syncstatements", "synckeys",
            "syncvalues",
        ] {
            try connection.run("DELETE FROM \(table)")
        }
    }

    package func setSyncValue(_ value: [UInt8]?, named name: String) throws(ItemDatabaseFailure) {
        guard let value else { return try connection.run("DELETE FROM syncvalues WHERE name = ?", [.text(name)]) }
        try connection.run(
            "INSERT OR REPLACE INTO syncvalues (name, value) VALUES (?, ?)", [.text(name), .bytes(value)])
    }

    /// Adds a statement after those that arrived before, unless it is known.
    package func addSyncStatement(_ statement: SyncStatementRow) throws(ItemDatabaseFailure) {
        try connection.run(
            "INSERT OR IGNORE INTO syncstatements (hash, bytes) VALUES (?, ?)",
            [.bytes(statement.hash), .bytes(statement.bytes)])
    }

    package func setSyncKey(_ key: SyncKeyRow) throws(ItemDatabaseFailure) {
        try connection.run(
            "INSERT OR REPLACE INTO synckeys (epoch, zone, number, wrapped) VALUES (?, ?, ?, ?)",
            [.bytes(key.epoch), .integer(Int64(key.zone)), .integer(Int64(key.number)), .bytes(key.wrapped)])
    }

    package func forgetSyncKeys() throws(ItemDatabaseFailure) {
        try connection.run("DELETE FROM synckeys")
    }

    package func setSyncSnapshot(_ snapshot: SyncSnapshotRow?) throws(ItemDatabaseFailure) {
        try connection.run("DELETE FROM syncsnapshots WHERE current = 1")
        if let snapshot { try add(snapshot, isCurrent: true) }
    }

    package func setPreviousSyncSnapshots(_ snapshots: [SyncSnapshotRow]) throws(ItemDatabaseFailure) {
        try connection.run("DELETE FROM syncsnapshots WHERE current = 0")
        for snapshot in snapshots { try add(snapshot, isCurrent: false) }
    }

    private func add(_ snapshot: SyncSnapshotRow, isCurrent: Bool) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT OR REPLACE INTO syncsnapshots (number, parts, hash, vector, bytecount, written, readback, current)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .unsigned(snapshot.number), .integer(Int64(snapshot.partCount)), .bytes(snapshot.hash),
                .bytes(snapshot.vector),
                .integer(snapshot.byteCount), .unsigned(snapshot.written), .integer(snapshot.wasReadBack ? 1 : 0),
                .integer(isCurrent ? 1 : 0),
            ])
    }
}
