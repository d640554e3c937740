extension Migration {
    /// The teams that the device trusts, the apps that have used it, and its options.
    static let format3 = Migration(
        "3",
        """
        CREATE TABLE teams (
            identifier TEXT PRIMARY KEY NOT NULL, key BLOB NOT NULL, name TEXT NOT NULL, trusted INTEGER NOT NULL,
            expires INTEGER, revoked INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE apps (
            application TEXT PRIMARY KEY NOT NULL, team TEXT, level TEXT NOT NULL, groups BLOB NOT NULL,
            digest BLOB NOT NULL, path TEXT NOT NULL, firstseen INTEGER NOT NULL, lastseen INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        """)
}
