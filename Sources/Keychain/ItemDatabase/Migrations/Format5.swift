extension Migration {
    /// Each row says whether its attributes are bound to its item key. Those that are there already are not, until the
    /// service seals them anew, which takes keys; the indexes lead to them and to nothing else. The numbers are those
    /// that SQLite stores in no bytes, so that they are read without the long secret before them.
    static let format5 = Migration(
        "5",
        """
        ALTER TABLE genp ADD COLUMN bound INTEGER;
        ALTER TABLE inet ADD COLUMN bound INTEGER;
        ALTER TABLE cert ADD COLUMN bound INTEGER;
        ALTER TABLE keys ADD COLUMN bound INTEGER;
        ALTER TABLE quarantine ADD COLUMN bound INTEGER;
        CREATE INDEX genp_unbound ON genp (pdmn) WHERE bound IS NULL;
        CREATE INDEX inet_unbound ON inet (pdmn) WHERE bound IS NULL;
        CREATE INDEX cert_unbound ON cert (pdmn) WHERE bound IS NULL;
        CREATE INDEX keys_unbound ON keys (pdmn) WHERE bound IS NULL;
        """)
}
