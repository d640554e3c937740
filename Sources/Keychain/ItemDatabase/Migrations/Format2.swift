extension Migration {
    /// A durable add writes four pages instead of seven: the service assigns row numbers, persistent references begin
    /// with them, and the index of the place makes the primary key unique. Removing AUTOINCREMENT from an `INTEGER
    /// PRIMARY KEY` needs a new table; the indexes of the old table are dropped with it.
    static let format2 = Migration(
        "2",
        """
        CREATE TABLE rownumbers (last INTEGER NOT NULL);
        INSERT INTO rownumbers SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name IN ('genp', 'inet');
        CREATE TABLE otherrefs (
            class TEXT NOT NULL, persistref BLOB NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (class, persistref)
        ) WITHOUT ROWID;
        INSERT INTO otherrefs SELECT 'genp', persistref, rowid FROM genp;
        ALTER TABLE genp RENAME TO old;
        CREATE TABLE genp (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
            t_desc BLOB, t_icmt BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB,
            t_nega BLOB, t_cusi BLOB, t_prot BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_svce BLOB,
            t_gena BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
        );
        INSERT INTO genp SELECT * FROM old;
        DROP TABLE old;
        CREATE UNIQUE INDEX genp_place ON genp (agrp, t_svce, t_acct, pk);
        CREATE INDEX genp_acct ON genp (t_acct);
        CREATE INDEX genp_change ON genp (change) WHERE sync = 1;
        CREATE INDEX genp_labl ON genp (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX genp_gena ON genp (t_gena) WHERE t_gena IS NOT NULL;
        CREATE INDEX genp_type ON genp (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX genp_alis ON genp (t_alis) WHERE t_alis IS NOT NULL;
        INSERT INTO otherrefs SELECT 'inet', persistref, rowid FROM inet;
        ALTER TABLE inet RENAME TO old;
        CREATE TABLE inet (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
            t_desc BLOB, t_icmt BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB,
            t_nega BLOB, t_cusi BLOB, t_prot BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_sdmn BLOB,
            t_srvr BLOB, t_ptcl BLOB, t_atyp BLOB, t_port BLOB, t_path BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
        );
        INSERT INTO inet SELECT * FROM old;
        DROP TABLE old;
        CREATE UNIQUE INDEX inet_place ON inet (agrp, t_srvr, t_acct, pk);
        CREATE INDEX inet_acct ON inet (t_acct);
        CREATE INDEX inet_change ON inet (change) WHERE sync = 1;
        CREATE INDEX inet_labl ON inet (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX inet_type ON inet (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX inet_alis ON inet (t_alis) WHERE t_alis IS NOT NULL;
        """)
}
