extension Migration {
    /// A change that waits keeps the version that its transaction made; a row without a name does as well. And
    /// deletions are known after their tombstones. The changes that wait in the file of a device that has joined count
    /// as called now: after all that was received. No row without a name does: a call of one that has not changed would
    /// win over what was not received.
    static let format9OfSync = """
        ALTER TABLE syncchanges ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE syncchanges ADD COLUMN epoch INTEGER;
        ALTER TABLE syncchanges ADD COLUMN time INTEGER;
        ALTER TABLE syncchanges ADD COLUMN count INTEGER;
        ALTER TABLE syncunnamed ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE syncunnamed ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE syncunnamed ADD COLUMN epoch INTEGER;
        ALTER TABLE syncunnamed ADD COLUMN time INTEGER;
        ALTER TABLE syncunnamed ADD COLUMN count INTEGER;
        CREATE INDEX syncunnamed_calls ON syncunnamed (class) WHERE origin = 1;
        CREATE TABLE syncdeleted (name BLOB PRIMARY KEY NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX syncdeleted_time ON syncdeleted (time);
        UPDATE syncclock SET time = time + (count >= 4294967295),
            count = CASE WHEN count >= 4294967295 THEN 0 ELSE count + 1 END
        WHERE EXISTS (SELECT 1 FROM syncvalues WHERE name = 'has-joined' AND value = x'0000000000000001');
        UPDATE syncchanges SET origin = 1, epoch = (SELECT epoch FROM syncclock), time = (SELECT time FROM syncclock),
            count = (SELECT count FROM syncclock)
        WHERE kind <> 3 AND EXISTS (SELECT 1 FROM syncclock)
            AND EXISTS (SELECT 1 FROM syncvalues WHERE name = 'has-joined' AND value = x'0000000000000001');
        \(["genp", "inet", "cert", "keys"].map(rowsNamedAgain).joined(separator: "\n"))
        """

    /// Of the rows that wait for their names, those that have one, and an item that is there, are as its version as far
    /// as the file tells: they are compared when they are named, and a call that was not named then comes in as a
    /// change without a version. The others were never in the circle, or have a change that waits.
    private static func rowsNamedAgain(in table: String) -> String {
        """
        UPDATE syncunnamed SET origin = 3
        WHERE class = '\(table)'
            AND EXISTS (
                SELECT 1 FROM \(table) CROSS JOIN syncitems
                    ON name = syncname AND syncitems.class = '\(table)' AND syncitems.number = \(table).rowid
                WHERE \(table).rowid = syncunnamed.number AND state = 1
                    AND NOT EXISTS (SELECT 1 FROM syncchanges WHERE syncchanges.name = syncname));
        """
    }
}
