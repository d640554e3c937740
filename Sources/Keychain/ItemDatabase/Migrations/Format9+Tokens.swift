extension Migration {
    /// No column lets a guess be tested of what an item keeps: the digest of an item, which covers its secret, and its
    /// comment have no tokens any more. The rows move to new tables, and the pages of the former ones are overwritten,
    /// because the connection overwrites what it deletes (`secure_delete`). `filler` does that for pages that were free
    /// before. The log is cut off when the file is opened (``FormerPages``).
    ///
    /// A digest that is sealed under a class key alone can be removed only while that key is at hand: `formerdigests` has
    /// the last rows that may have one.
    static let withoutGuessableTokens = """
        \(overwritingFreePages)
        ALTER TABLE genp RENAME TO former;
        CREATE TABLE genp (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_desc BLOB, t_crtr BLOB,
            t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB, t_cusi BLOB, t_prot BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            t_alis BLOB, t_acct BLOB, t_svce BLOB, t_gena BLOB, attributes BLOB NOT NULL, itemkey BLOB,
            secret BLOB, bound INTEGER, syncname BLOB
        );
        INSERT INTO genp
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, change, pk, t_desc, t_crtr,
            t_type, t_scrp, t_labl, t_invi, t_nega, t_cusi, t_prot, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss,
            t_pcsk, t_pcsi, t_alis, t_acct, t_svce, t_gena, attributes, itemkey, secret, bound, syncname
            FROM former;
        DROP TABLE former;
        CREATE UNIQUE INDEX genp_place ON genp (agrp, t_svce, t_acct, pk);
        CREATE INDEX genp_acct ON genp (t_acct);
        CREATE INDEX genp_change ON genp (change) WHERE sync = 1;
        CREATE INDEX genp_labl ON genp (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX genp_gena ON genp (t_gena) WHERE t_gena IS NOT NULL;
        CREATE INDEX genp_type ON genp (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX genp_alis ON genp (t_alis) WHERE t_alis IS NOT NULL;
        CREATE INDEX genp_unbound ON genp (pdmn) WHERE bound IS NULL;
        CREATE INDEX genp_passcode ON genp (agrp) WHERE pdmn = 12;
        ALTER TABLE inet RENAME TO former;
        CREATE TABLE inet (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_desc BLOB, t_crtr BLOB,
            t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB, t_cusi BLOB, t_prot BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            t_alis BLOB, t_acct BLOB, t_sdmn BLOB, t_srvr BLOB, t_ptcl BLOB, t_atyp BLOB, t_port BLOB,
            t_path BLOB, attributes BLOB NOT NULL, itemkey BLOB, secret BLOB, bound INTEGER, syncname BLOB
        );
        INSERT INTO inet
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, change, pk, t_desc, t_crtr,
            t_type, t_scrp, t_labl, t_invi, t_nega, t_cusi, t_prot, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss,
            t_pcsk, t_pcsi, t_alis, t_acct, t_sdmn, t_srvr, t_ptcl, t_atyp, t_port, t_path, attributes,
            itemkey, secret, bound, syncname FROM former;
        DROP TABLE former;
        CREATE UNIQUE INDEX inet_place ON inet (agrp, t_srvr, t_acct, pk);
        CREATE INDEX inet_acct ON inet (t_acct);
        CREATE INDEX inet_change ON inet (change) WHERE sync = 1;
        CREATE INDEX inet_labl ON inet (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX inet_type ON inet (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX inet_alis ON inet (t_alis) WHERE t_alis IS NOT NULL;
        CREATE INDEX inet_unbound ON inet (pdmn) WHERE bound IS NULL;
        CREATE INDEX inet_passcode ON inet (agrp) WHERE pdmn = 12;
        ALTER TABLE cert RENAME TO former;
        CREATE TABLE cert (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_ctyp BLOB, t_cenc BLOB,
            t_labl BLOB, t_alis BLOB, t_subj BLOB, t_issr BLOB, t_slnr BLOB, t_skid BLOB, t_pkhh BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB, bound INTEGER, syncname BLOB
        );
        INSERT INTO cert
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, change, pk, t_ctyp, t_cenc,
            t_labl, t_alis, t_subj, t_issr, t_slnr, t_skid, t_pkhh, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss,
            t_pcsk, t_pcsi, attributes, itemkey, secret, bound, syncname FROM former;
        DROP TABLE former;
        CREATE UNIQUE INDEX cert_place ON cert (agrp, t_issr, t_slnr, pk);
        CREATE INDEX cert_slnr ON cert (t_slnr);
        CREATE INDEX cert_change ON cert (change) WHERE sync = 1;
        CREATE INDEX cert_labl ON cert (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX cert_subj ON cert (t_subj) WHERE t_subj IS NOT NULL;
        CREATE INDEX cert_skid ON cert (t_skid) WHERE t_skid IS NOT NULL;
        CREATE INDEX cert_pkhh ON cert (t_pkhh) WHERE t_pkhh IS NOT NULL;
        CREATE INDEX cert_unbound ON cert (pdmn) WHERE bound IS NULL;
        CREATE INDEX cert_passcode ON cert (agrp) WHERE pdmn = 12;
        ALTER TABLE keys RENAME TO former;
        CREATE TABLE keys (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_kcls BLOB, t_labl BLOB,
            t_alis BLOB, t_perm BLOB, t_priv BLOB, t_modi BLOB, t_klbl BLOB, t_atag BLOB, t_crtr BLOB,
            t_type BLOB, t_bsiz BLOB, t_esiz BLOB, t_sdat BLOB, t_edat BLOB, t_sens BLOB, t_asen BLOB,
            t_extr BLOB, t_next BLOB, t_encr BLOB, t_decr BLOB, t_drve BLOB, t_sign BLOB, t_vrfy BLOB,
            t_snrc BLOB, t_vyrc BLOB, t_wrap BLOB, t_unwp BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, attributes BLOB NOT NULL, itemkey BLOB,
            secret BLOB, bound INTEGER, syncname BLOB
        );
        INSERT INTO keys
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, change, pk, t_kcls, t_labl,
            t_alis, t_perm, t_priv, t_modi, t_klbl, t_atag, t_crtr, t_type, t_bsiz, t_esiz, t_sdat, t_edat,
            t_sens, t_asen, t_extr, t_next, t_encr, t_decr, t_drve, t_sign, t_vrfy, t_snrc, t_vyrc, t_wrap,
            t_unwp, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss, t_pcsk, t_pcsi, attributes, itemkey, secret,
            bound, syncname FROM former;
        DROP TABLE former;
        CREATE UNIQUE INDEX keys_place ON keys (agrp, t_klbl, t_atag, pk);
        CREATE INDEX keys_atag ON keys (t_atag);
        CREATE INDEX keys_change ON keys (change) WHERE sync = 1;
        CREATE INDEX keys_labl ON keys (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX keys_unbound ON keys (pdmn) WHERE bound IS NULL;
        CREATE INDEX keys_passcode ON keys (agrp) WHERE pdmn = 12;
        ALTER TABLE ended_genp RENAME TO former;
        CREATE TABLE ended_genp (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_desc BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB,
            t_cusi BLOB, t_prot BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB,
            t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_svce BLOB, t_gena BLOB,
            reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        INSERT INTO ended_genp
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, t_desc, t_crtr, t_type, t_scrp,
            t_labl, t_invi, t_nega, t_cusi, t_prot, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss, t_pcsk, t_pcsi,
            t_alis, t_acct, t_svce, t_gena, reason, ended, noticed, met FROM former;
        DROP TABLE former;
        CREATE INDEX ended_genp_group ON ended_genp (agrp);
        ALTER TABLE ended_inet RENAME TO former;
        CREATE TABLE ended_inet (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_desc BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB,
            t_cusi BLOB, t_prot BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB,
            t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_sdmn BLOB, t_srvr BLOB, t_ptcl BLOB,
            t_atyp BLOB, t_port BLOB, t_path BLOB, reason TEXT NOT NULL, ended INTEGER NOT NULL,
            noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        INSERT INTO ended_inet
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, t_desc, t_crtr, t_type, t_scrp,
            t_labl, t_invi, t_nega, t_cusi, t_prot, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss, t_pcsk, t_pcsi,
            t_alis, t_acct, t_sdmn, t_srvr, t_ptcl, t_atyp, t_port, t_path, reason, ended, noticed, met
            FROM former;
        DROP TABLE former;
        CREATE INDEX ended_inet_group ON ended_inet (agrp);
        ALTER TABLE ended_cert RENAME TO former;
        CREATE TABLE ended_cert (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_ctyp BLOB, t_cenc BLOB, t_labl BLOB, t_alis BLOB, t_subj BLOB, t_issr BLOB, t_slnr BLOB,
            t_skid BLOB, t_pkhh BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB,
            t_pcsk BLOB, t_pcsi BLOB, reason TEXT NOT NULL, ended INTEGER NOT NULL,
            noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        INSERT INTO ended_cert
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, t_ctyp, t_cenc, t_labl, t_alis,
            t_subj, t_issr, t_slnr, t_skid, t_pkhh, t_vwht, t_tkid, t_ggrp, t_sysb, t_pcss, t_pcsk, t_pcsi,
            reason, ended, noticed, met FROM former;
        DROP TABLE former;
        CREATE INDEX ended_cert_group ON ended_cert (agrp);
        ALTER TABLE ended_keys RENAME TO former;
        CREATE TABLE ended_keys (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_kcls BLOB, t_labl BLOB, t_alis BLOB, t_perm BLOB, t_priv BLOB, t_modi BLOB, t_klbl BLOB,
            t_atag BLOB, t_crtr BLOB, t_type BLOB, t_bsiz BLOB, t_esiz BLOB, t_sdat BLOB, t_edat BLOB,
            t_sens BLOB, t_asen BLOB, t_extr BLOB, t_next BLOB, t_encr BLOB, t_decr BLOB, t_drve BLOB,
            t_sign BLOB, t_vrfy BLOB, t_snrc BLOB, t_vyrc BLOB, t_wrap BLOB, t_unwp BLOB, t_vwht BLOB,
            t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        INSERT INTO ended_keys
            SELECT rowid, agrp, pdmn, sync, tomb, cdat, mdat, persistref, t_kcls, t_labl, t_alis, t_perm,
            t_priv, t_modi, t_klbl, t_atag, t_crtr, t_type, t_bsiz, t_esiz, t_sdat, t_edat, t_sens, t_asen,
            t_extr, t_next, t_encr, t_decr, t_drve, t_sign, t_vrfy, t_snrc, t_vyrc, t_wrap, t_unwp, t_vwht,
            t_tkid, t_ggrp, t_sysb, t_pcss, t_pcsk, t_pcsi, reason, ended, noticed, met FROM former;
        DROP TABLE former;
        CREATE INDEX ended_keys_group ON ended_keys (agrp);
        CREATE TABLE formerdigests (
            class TEXT NOT NULL, pdmn INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (class, pdmn)
        ) WITHOUT ROWID;
        INSERT INTO formerdigests SELECT 'genp', pdmn, max(rowid) FROM genp GROUP BY pdmn;
        INSERT INTO formerdigests SELECT 'inet', pdmn, max(rowid) FROM inet GROUP BY pdmn;
        INSERT INTO formerdigests SELECT 'cert', pdmn, max(rowid) FROM cert GROUP BY pdmn;
        INSERT INTO formerdigests SELECT 'keys', pdmn, max(rowid) FROM keys GROUP BY pdmn;
        INSERT INTO formerdigests SELECT 'quarantine', pdmn, max(id) FROM quarantine GROUP BY pdmn;
        INSERT INTO formerdigests SELECT 'syncconflicts', pdmn, max(id) FROM syncconflicts GROUP BY pdmn;
        PRAGMA user_version = 0;
        """

    /// Overwrites the pages that are not in use: they become those of a table that is then deleted, which the connection
    /// must overwrite (`secure_delete`).
    static let overwritingFreePages = """
        CREATE TABLE filler (bytes BLOB);
        INSERT INTO filler
            WITH RECURSIVE pages(number) AS (
                SELECT 1 UNION ALL
                SELECT number + 1 FROM pages WHERE number < 8 + (SELECT freelist_count FROM pragma_freelist_count)
            )
            SELECT zeroblob((SELECT page_size - 96 FROM pragma_page_size)) FROM pages;
        DROP TABLE filler;
        """
}
