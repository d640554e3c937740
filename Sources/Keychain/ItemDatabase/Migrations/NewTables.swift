@_implementationOnly import GRDB

/// The tables of a new `keychain.db`, as they are after the last step of ``Migration``.
///
/// A new file gets them at once: the steps make each table up to five times, which took most of the time of opening a
/// new device. The text repeats that of released steps, which may not change; a test compares the two results.
enum NewTables {
    /// Makes the tables if the database has none. The log of a new file holds nothing from former formats.
    static func make(in pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { db in
            // Another process may make them while this one waits for the lock.
            try db.inTransaction(.immediate) {
                guard try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 else { return .commit }
                let names = Migration.all.map { "('\($0.format)')" }.joined(separator: ", ")
                try db.execute(sql: statements + "INSERT INTO grdb_migrations VALUES \(names);")
                try FormerPages.setClean(db)
                return .commit
            }
        }
    }

    private static let statements = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        CREATE TABLE metadatakeys (keyclass INTEGER PRIMARY KEY, wrapped BLOB NOT NULL);
        CREATE TABLE devicekeys (name TEXT PRIMARY KEY, wrapped BLOB NOT NULL);
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, agrp TEXT NOT NULL,
            pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL, cdat INTEGER NOT NULL,
            mdat INTEGER NOT NULL, persistref BLOB NOT NULL, uuid BLOB NOT NULL, attributes BLOB NOT NULL,
            itemkey BLOB, secret BLOB, reason TEXT NOT NULL, moved INTEGER NOT NULL, bound INTEGER
        );
        CREATE TABLE rownumbers (last INTEGER NOT NULL, change INTEGER NOT NULL DEFAULT 0);
        INSERT INTO rownumbers (last) VALUES (0);
        CREATE TABLE otherrefs (
            class TEXT NOT NULL, persistref BLOB NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (class, persistref)
        ) WITHOUT ROWID;
        CREATE TABLE teams (
            identifier TEXT PRIMARY KEY NOT NULL, key BLOB NOT NULL, name TEXT NOT NULL,
            trusted INTEGER NOT NULL, expires INTEGER, revoked INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE apps (
            application TEXT PRIMARY KEY NOT NULL, team TEXT, level TEXT NOT NULL, groups BLOB NOT NULL,
            digest BLOB NOT NULL, path TEXT NOT NULL, firstseen INTEGER NOT NULL, lastseen INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE fingerchanges (at INTEGER PRIMARY KEY);
        CREATE TABLE syncitems (
            name BLOB PRIMARY KEY NOT NULL, class TEXT, number INTEGER, version BLOB, base BLOB, dotdevice BLOB,
            dotzone INTEGER, dotnumber INTEGER, state INTEGER, zone INTEGER, digest BLOB
        ) WITHOUT ROWID;
        CREATE TABLE syncreplaced (
            name BLOB PRIMARY KEY NOT NULL, version BLOB, base BLOB, dotdevice BLOB, dotzone INTEGER,
            dotnumber INTEGER, state INTEGER, zone INTEGER, digest BLOB
        ) WITHOUT ROWID;
        CREATE TABLE syncchanges (
            name BLOB PRIMARY KEY NOT NULL, number INTEGER NOT NULL, kind INTEGER NOT NULL, partner BLOB,
            zone INTEGER, digest BLOB, class TEXT, rownumber INTEGER, origin INTEGER NOT NULL DEFAULT 0,
            epoch INTEGER, time INTEGER, count INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE syncunnamed (
            class TEXT NOT NULL, number INTEGER NOT NULL, change INTEGER NOT NULL DEFAULT 0,
            origin INTEGER NOT NULL DEFAULT 0, epoch INTEGER, time INTEGER, count INTEGER,
            PRIMARY KEY (class, number)
        ) WITHOUT ROWID;
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
        CREATE TABLE syncduplicated (device BLOB PRIMARY KEY NOT NULL) WITHOUT ROWID;
        CREATE TABLE syncstatements (
            arrival INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL
        );
        CREATE TABLE synckeys (
            epoch BLOB NOT NULL, zone INTEGER NOT NULL, number INTEGER NOT NULL, wrapped BLOB NOT NULL,
            PRIMARY KEY (epoch, zone)
        ) WITHOUT ROWID;
        CREATE TABLE syncvalues (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE syncsnapshots (
            number INTEGER PRIMARY KEY, parts INTEGER NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL,
            bytecount INTEGER NOT NULL, written INTEGER NOT NULL, readback INTEGER NOT NULL,
            current INTEGER NOT NULL
        );
        CREATE TABLE syncconflicts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name BLOB NOT NULL, version BLOB, reason INTEGER NOT NULL,
            kept INTEGER NOT NULL, class TEXT NOT NULL, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL,
            sync INTEGER NOT NULL, tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, attributes BLOB NOT NULL, itemkey BLOB, secret BLOB,
            bound INTEGER
        );
        CREATE TABLE genp (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_desc BLOB, t_crtr BLOB,
            t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB, t_cusi BLOB, t_prot BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            t_alis BLOB, t_acct BLOB, t_svce BLOB, t_gena BLOB, attributes BLOB NOT NULL, itemkey BLOB,
            secret BLOB, bound INTEGER, syncname BLOB
        );
        CREATE UNIQUE INDEX genp_place ON genp (agrp, t_svce, t_acct, pk);
        CREATE INDEX genp_acct ON genp (t_acct);
        CREATE INDEX genp_change ON genp (change) WHERE sync = 1;
        CREATE INDEX genp_labl ON genp (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX genp_gena ON genp (t_gena) WHERE t_gena IS NOT NULL;
        CREATE INDEX genp_type ON genp (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX genp_alis ON genp (t_alis) WHERE t_alis IS NOT NULL;
        CREATE INDEX genp_unbound ON genp (pdmn) WHERE bound IS NULL;
        CREATE INDEX genp_passcode ON genp (agrp) WHERE pdmn = 12;
        CREATE TABLE inet (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_desc BLOB, t_crtr BLOB,
            t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB, t_cusi BLOB, t_prot BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            t_alis BLOB, t_acct BLOB, t_sdmn BLOB, t_srvr BLOB, t_ptcl BLOB, t_atyp BLOB, t_port BLOB,
            t_path BLOB, attributes BLOB NOT NULL, itemkey BLOB, secret BLOB, bound INTEGER, syncname BLOB
        );
        CREATE UNIQUE INDEX inet_place ON inet (agrp, t_srvr, t_acct, pk);
        CREATE INDEX inet_acct ON inet (t_acct);
        CREATE INDEX inet_change ON inet (change) WHERE sync = 1;
        CREATE INDEX inet_labl ON inet (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX inet_type ON inet (t_type) WHERE t_type IS NOT NULL;
        CREATE INDEX inet_alis ON inet (t_alis) WHERE t_alis IS NOT NULL;
        CREATE INDEX inet_unbound ON inet (pdmn) WHERE bound IS NULL;
        CREATE INDEX inet_passcode ON inet (agrp) WHERE pdmn = 12;
        CREATE TABLE cert (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL, t_ctyp BLOB, t_cenc BLOB,
            t_labl BLOB, t_alis BLOB, t_subj BLOB, t_issr BLOB, t_slnr BLOB, t_skid BLOB, t_pkhh BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB, bound INTEGER, syncname BLOB
        );
        CREATE UNIQUE INDEX cert_place ON cert (agrp, t_issr, t_slnr, pk);
        CREATE INDEX cert_slnr ON cert (t_slnr);
        CREATE INDEX cert_change ON cert (change) WHERE sync = 1;
        CREATE INDEX cert_labl ON cert (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX cert_subj ON cert (t_subj) WHERE t_subj IS NOT NULL;
        CREATE INDEX cert_skid ON cert (t_skid) WHERE t_skid IS NOT NULL;
        CREATE INDEX cert_pkhh ON cert (t_pkhh) WHERE t_pkhh IS NOT NULL;
        CREATE INDEX cert_unbound ON cert (pdmn) WHERE bound IS NULL;
        CREATE INDEX cert_passcode ON cert (agrp) WHERE pdmn = 12;
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
        CREATE UNIQUE INDEX keys_place ON keys (agrp, t_klbl, t_atag, pk);
        CREATE INDEX keys_atag ON keys (t_atag);
        CREATE INDEX keys_change ON keys (change) WHERE sync = 1;
        CREATE INDEX keys_labl ON keys (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX keys_unbound ON keys (pdmn) WHERE bound IS NULL;
        CREATE INDEX keys_passcode ON keys (agrp) WHERE pdmn = 12;
        CREATE TABLE ended_genp (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_desc BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB,
            t_cusi BLOB, t_prot BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB,
            t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_svce BLOB, t_gena BLOB, reason TEXT NOT NULL,
            ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_genp_group ON ended_genp (agrp);
        CREATE TABLE ended_inet (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_desc BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB, t_nega BLOB,
            t_cusi BLOB, t_prot BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB,
            t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_sdmn BLOB, t_srvr BLOB, t_ptcl BLOB,
            t_atyp BLOB, t_port BLOB, t_path BLOB, reason TEXT NOT NULL, ended INTEGER NOT NULL,
            noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_inet_group ON ended_inet (agrp);
        CREATE TABLE ended_cert (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_ctyp BLOB, t_cenc BLOB, t_labl BLOB, t_alis BLOB, t_subj BLOB, t_issr BLOB, t_slnr BLOB,
            t_skid BLOB, t_pkhh BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB,
            t_pcsk BLOB, t_pcsi BLOB, reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL,
            met INTEGER NOT NULL
        );
        CREATE INDEX ended_cert_group ON ended_cert (agrp);
        CREATE TABLE ended_keys (
            rowid INTEGER PRIMARY KEY, agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL,
            tomb INTEGER NOT NULL, cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_kcls BLOB, t_labl BLOB, t_alis BLOB, t_perm BLOB, t_priv BLOB, t_modi BLOB, t_klbl BLOB,
            t_atag BLOB, t_crtr BLOB, t_type BLOB, t_bsiz BLOB, t_esiz BLOB, t_sdat BLOB, t_edat BLOB,
            t_sens BLOB, t_asen BLOB, t_extr BLOB, t_next BLOB, t_encr BLOB, t_decr BLOB, t_drve BLOB,
            t_sign BLOB, t_vrfy BLOB, t_snrc BLOB, t_vyrc BLOB, t_wrap BLOB, t_unwp BLOB, t_vwht BLOB,
            t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, reason TEXT NOT NULL,
            ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_keys_group ON ended_keys (agrp);
        CREATE TABLE formerdigests (
            class TEXT NOT NULL, pdmn INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (class, pdmn)
        ) WITHOUT ROWID;
        CREATE INDEX syncunnamed_calls ON syncunnamed (class) WHERE origin = 1;
        CREATE TABLE syncdeleted (name BLOB PRIMARY KEY NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX syncdeleted_time ON syncdeleted (time);

        """
}
