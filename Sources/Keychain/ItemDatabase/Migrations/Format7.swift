extension Migration {
    /// The tables of item sync, and a change counter that never goes back. They are empty on a device that is in no
    /// circle.
    static let format7 = Migration(
        "7",
        """
        ALTER TABLE rownumbers ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE syncitems (
            name BLOB PRIMARY KEY NOT NULL, class TEXT, number INTEGER,
            version BLOB, base BLOB, dotdevice BLOB, dotzone INTEGER, dotnumber INTEGER, state INTEGER, zone INTEGER,
            digest BLOB
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX syncitems_row ON syncitems (class, number) WHERE number IS NOT NULL;
        CREATE TABLE syncreplaced (
            name BLOB PRIMARY KEY NOT NULL,
            version BLOB, base BLOB, dotdevice BLOB, dotzone INTEGER, dotnumber INTEGER, state INTEGER, zone INTEGER,
            digest BLOB
        ) WITHOUT ROWID;
        CREATE TABLE syncchanges (
            name BLOB PRIMARY KEY NOT NULL, number INTEGER NOT NULL, kind INTEGER NOT NULL, partner BLOB, zone INTEGER,
            digest BLOB
        ) WITHOUT ROWID;
        CREATE TABLE syncunnamed (
            class TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (class, number)
        ) WITHOUT ROWID;
        CREATE TABLE syncconflicts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB NOT NULL, version BLOB, reason INTEGER NOT NULL,
            kept INTEGER NOT NULL, class TEXT NOT NULL, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, attributes BLOB NOT NULL, itemkey BLOB, secret BLOB, bound INTEGER
        );
        CREATE TABLE syncclock (
            id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, time INTEGER NOT NULL,
            count INTEGER NOT NULL
        );
        CREATE TABLE syncstreams (
            device BLOB NOT NULL, zone INTEGER NOT NULL, number INTEGER NOT NULL, mark BLOB,
            PRIMARY KEY (device, zone)
        ) WITHOUT ROWID;
        CREATE TABLE syncknowledge (
            device BLOB NOT NULL, zone INTEGER NOT NULL, number INTEGER NOT NULL, vector BLOB NOT NULL,
            PRIMARY KEY (device, zone, number)
        ) WITHOUT ROWID;
        CREATE TABLE syncpending (
            device BLOB NOT NULL, zone INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (device, zone, number)
        );
        CREATE TABLE syncoutbox (name TEXT PRIMARY KEY NOT NULL, bytes BLOB NOT NULL);
        CREATE TABLE syncheads (device BLOB PRIMARY KEY NOT NULL, bytes BLOB NOT NULL);
        CREATE TABLE syncsnapshots (
            number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, bytecount INTEGER NOT NULL,
            written INTEGER NOT NULL, readback INTEGER NOT NULL, current INTEGER NOT NULL
        );
        CREATE TABLE syncduplicated (device BLOB PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE TABLE syncstatements (
            arrival INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL
        );
        CREATE TABLE synckeys (
            epoch BLOB NOT NULL, zone INTEGER NOT NULL, number INTEGER NOT NULL, wrapped BLOB NOT NULL,
            PRIMARY KEY (epoch, zone)
        ) WITHOUT ROWID;
        CREATE TABLE syncvalues (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        """)
}
