extension Migration {
    /// Each row records whether its attributes are bound to its item key. Existing rows are unbound until the service
    /// has sealed them again, which needs keys; the new indexes contain only those rows. The numbers 0 and 1 are stored
    /// without bytes of their own, so that they can be read without the long secret before them.
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
