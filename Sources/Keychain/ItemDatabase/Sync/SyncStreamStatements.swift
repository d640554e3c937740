/// The last applied segment of a stream: a row of `syncstreams`.
package struct SyncStreamRow: Sendable, Hashable {
    package let last: SyncDotRow
    /// The hash of the segment. Missing after a snapshot was loaded.
    package let mark: [UInt8]?

    package init(last: SyncDotRow, mark: [UInt8]?) {
        self.last = last
        self.mark = mark
    }
}

/// The statements of `syncstreams`, `syncknowledge`, `syncpending`, `syncoutbox`, `syncheads` and `syncduplicated`.
extension ItemReader {
    /// The last applied segment of each stream.
    package func syncStreams() throws(ItemDatabaseFailure) -> [SyncStreamRow] {
        var streams: [SyncStreamRow] = []
        for row in try connection.table("SELECT device, zone, number, mark FROM syncstreams ORDER BY device, zone") {
            streams.append(SyncStreamRow(last: try row.dot(from: 0), mark: try row.bytesIfAny(3)))
        }
        return streams
    }

    /// The vectors that the authors of segments had applied, encoded by the caller.
    package func syncKnowledge() throws(ItemDatabaseFailure) -> [SyncDotRow: [UInt8]] {
        try bytesOfDots("SELECT device, zone, number, vector FROM syncknowledge")
    }

    /// The sealed segments that cannot be opened yet.
    package func syncPending() throws(ItemDatabaseFailure) -> [SyncDotRow: [UInt8]] {
        try bytesOfDots("SELECT device, zone, number, bytes FROM syncpending")
    }

    /// The sealed segment at a place that cannot be opened yet.
    package func syncPending(of dot: SyncDotRow) throws(ItemDatabaseFailure) -> [UInt8]? {
        try connection.table(
            "SELECT bytes FROM syncpending WHERE device = ? AND zone = ? AND number = ?", dot.values
        ).first?.bytes(0)
    }

    /// The own object of a name.
    package func syncOutbox(named name: String) throws(ItemDatabaseFailure) -> [UInt8]? {
        try connection.table("SELECT bytes FROM syncoutbox WHERE name = ?", [.text(name)]).first?.bytes(0)
    }

    /// The newest head of a device.
    package func syncHead(of device: [UInt8]) throws(ItemDatabaseFailure) -> [UInt8]? {
        try connection.table("SELECT bytes FROM syncheads WHERE device = ?", [.bytes(device)]).first?.bytes(0)
    }

    /// The own objects that the store has to have, by object name.
    package func syncOutbox() throws(ItemDatabaseFailure) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for row in try connection.table("SELECT name, bytes FROM syncoutbox") {
            found[try row.text(0)] = try row.bytes(1)
        }
        return found
    }

    /// The newest head of each device.
    package func syncHeads() throws(ItemDatabaseFailure) -> [[UInt8]: [UInt8]] {
        var found: [[UInt8]: [UInt8]] = [:]
        for row in try connection.table("SELECT device, bytes FROM syncheads") {
            found[try row.bytes(0, count: SyncDotRow.deviceByteCount)] = try row.bytes(1)
        }
        return found
    }

    /// The devices that signed two objects for one place.
    package func syncDuplicated() throws(ItemDatabaseFailure) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for row in try connection.table("SELECT device FROM syncduplicated") {
            found.insert(try row.bytes(0, count: SyncDotRow.deviceByteCount))
        }
        return found
    }

    private func bytesOfDots(_ sql: String) throws(ItemDatabaseFailure) -> [SyncDotRow: [UInt8]] {
        var found: [SyncDotRow: [UInt8]] = [:]
        for row in try connection.table(sql) { found[try row.dot(from: 0)] = try row.bytes(3) }
        return found
    }
}

extension ItemWriter {
    /// Records the last applied segment of a stream; forgets the stream if its number is 0.
    package func setSyncStream(_ stream: SyncStreamRow) throws(ItemDatabaseFailure) {
        guard stream.last.number > 0 else {
            return try connection.run(
                "DELETE FROM syncstreams WHERE device = ? AND zone = ?",
                [.bytes(stream.last.device), .integer(Int64(stream.last.zone))])
        }
        try connection.run(
            "INSERT OR REPLACE INTO syncstreams (device, zone, number, mark) VALUES (?, ?, ?, ?)",
            stream.last.values + [ColumnValue(stream.mark)])
    }

    package func setSyncKnowledge(_ vector: [UInt8]?, of dot: SyncDotRow) throws(ItemDatabaseFailure) {
        try set(vector, of: dot, in: "syncknowledge", column: "vector")
    }

    package func setSyncPending(_ bytes: [UInt8]?, of dot: SyncDotRow) throws(ItemDatabaseFailure) {
        try set(bytes, of: dot, in: "syncpending", column: "bytes")
    }

    package func setSyncOutbox(_ bytes: [UInt8]?, named name: String) throws(ItemDatabaseFailure) {
        guard let bytes else { return try connection.run("DELETE FROM syncoutbox WHERE name = ?", [.text(name)]) }
        try connection.run(
            "INSERT OR REPLACE INTO syncoutbox (name, bytes) VALUES (?, ?)", [.text(name), .bytes(bytes)])
    }

    package func setSyncHead(_ bytes: [UInt8]?, of device: [UInt8]) throws(ItemDatabaseFailure) {
        guard let bytes else { return try connection.run("DELETE FROM syncheads WHERE device = ?", [.bytes(device)]) }
        try connection.run(
            "INSERT OR REPLACE INTO syncheads (device, bytes) VALUES (?, ?)", [.bytes(device), .bytes(bytes)])
    }

    package func addSyncDuplicated(_ device: [UInt8]) throws(ItemDatabaseFailure) {
        try connection.run("INSERT OR IGNORE INTO syncduplicated (device) VALUES (?)", [.bytes(device)])
    }

    private func set(
        _ bytes: [UInt8]?, of dot: SyncDotRow, in table: String, column: String
    ) throws(ItemDatabaseFailure) {
        guard let bytes else {
            return try connection.run(
                "DELETE FROM \(table) WHERE device = ? AND zone = ? AND number = ?", dot.values)
        }
        try connection.run(
            "INSERT OR REPLACE INTO \(table) (device, zone, number, \(column)) VALUES (?, ?, ?, ?)",
            dot.values + [.bytes(bytes)])
    }
}
