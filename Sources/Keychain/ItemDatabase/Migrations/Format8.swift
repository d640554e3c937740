extension Migration {
    /// An add in a circle writes two pages less. The item row itself has the name by which other devices know it, instead of
    /// an index; it is the name of the row only while a listing says so, too. And the place of a row whose name is new is
    /// with the waiting change, until the item gets its version and with it a row of `syncitems`.
    static let format8 = Migration(
        "8",
        """
        ALTER TABLE genp ADD COLUMN syncname BLOB;
        ALTER TABLE inet ADD COLUMN syncname BLOB;
        ALTER TABLE cert ADD COLUMN syncname BLOB;
        ALTER TABLE keys ADD COLUMN syncname BLOB;
        UPDATE genp SET syncname = (SELECT name FROM syncitems WHERE class = 'genp' AND number = genp.rowid)
            WHERE rowid IN (SELECT number FROM syncitems WHERE class = 'genp' AND number IS NOT NULL);
        UPDATE inet SET syncname = (SELECT name FROM syncitems WHERE class = 'inet' AND number = inet.rowid)
            WHERE rowid IN (SELECT number FROM syncitems WHERE class = 'inet' AND number IS NOT NULL);
        UPDATE cert SET syncname = (SELECT name FROM syncitems WHERE class = 'cert' AND number = cert.rowid)
            WHERE rowid IN (SELECT number FROM syncitems WHERE class = 'cert' AND number IS NOT NULL);
        UPDATE keys SET syncname = (SELECT name FROM syncitems WHERE class = 'keys' AND number = keys.rowid)
            WHERE rowid IN (SELECT number FROM syncitems WHERE class = 'keys' AND number IS NOT NULL);
        DROP INDEX syncitems_row;
        ALTER TABLE syncchanges ADD COLUMN class TEXT;
        ALTER TABLE syncchanges ADD COLUMN rownumber INTEGER;
        """)
}
