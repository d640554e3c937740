extension Migration {
    /// The tables of passwords, the wrapped keys, and the table of unreadable rows.
    static let format1 = Migration(
        "1",
        """
        CREATE TABLE genp (
            rowid INTEGER PRIMARY KEY AUTOINCREMENT,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
            t_desc BLOB, t_icmt BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB,
            t_nega BLOB, t_cusi BLOB, t_prot BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_svce BLOB,
            t_gena BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
        );
        CREATE UNIQUE INDEX genp_pk ON genp (pk);
        CREATE UNIQUE INDEX genp_persistref ON genp (persistref);
        CREATE INDEX genp_place ON genp (agrp, t_svce, t_acct);
        CREATE INDEX genp_acct ON genp (t_acct);
        CREATE INDEX genp_change ON genp (change) WHERE sync = 1;
        CREATE INDEX genp_labl ON genp (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX genp_gena ON genp (t_gena) WHERE t_gena IS NOT NULL;
        CREATE INDEX genp_type ON genp (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX genp_alis ON genp (t_alis) WHERE t_alis IS NOT NULL;
        CREATE TABLE inet (
            rowid INTEGER PRIMARY KEY AUTOINCREMENT,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
            t_desc BLOB, t_icmt BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB,
            t_nega BLOB, t_cusi BLOB, t_prot BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_sdmn BLOB,
            t_srvr BLOB, t_ptcl BLOB, t_atyp BLOB, t_port BLOB, t_path BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
        );
        CREATE UNIQUE INDEX inet_pk ON inet (pk);
        CREATE UNIQUE INDEX inet_persistref ON inet (persistref);
        CREATE INDEX inet_place ON inet (agrp, t_srvr, t_acct);
        CREATE INDEX inet_acct ON inet (t_acct);
        CREATE INDEX inet_change ON inet (change) WHERE sync = 1;
        CREATE INDEX inet_labl ON inet (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX inet_type ON inet (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX inet_alis ON inet (t_alis) WHERE t_alis IS NOT NULL;
        CREATE TABLE metadatakeys (keyclass INTEGER PRIMARY KEY, wrapped BLOB NOT NULL);
        CREATE TABLE devicekeys (name TEXT PRIMARY KEY, wrapped BLOB NOT NULL);
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, agrp TEXT NOT NULL,
            pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL, cdat INTEGER NOT NULL,
            mdat INTEGER NOT NULL, persistref BLOB NOT NULL, uuid BLOB NOT NULL,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB,
            reason TEXT NOT NULL, moved INTEGER NOT NULL
        );
        """)
}
