extension Migration {
    /// Items that were ended on purpose get tables of their own. Those that ended under an earlier format are moved
    /// from `quarantine`, without their search tokens, which `quarantine` does not have.
    static let format6 = Migration(
        "6",
        """
        CREATE TABLE ended_genp (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_desc BLOB, t_icmt BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB,
            t_nega BLOB, t_cusi BLOB, t_prot BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_svce BLOB,
            t_gena BLOB,
            reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_genp_group ON ended_genp (agrp);
        CREATE INDEX genp_passcode ON genp (agrp) WHERE pdmn = 12;
        INSERT INTO ended_genp (agrp, pdmn, sync, tomb, cdat, mdat, persistref, reason, ended, noticed, met)
        SELECT agrp, pdmn, sync, tomb, cdat, mdat, persistref,
            CASE reason WHEN 'the key of its protection class no longer exists' THEN 'passcode-removed'
            WHEN 'its key in the enclave was deleted' THEN 'key-deleted' ELSE 'fingers-changed' END,
            moved, 1, 1
        FROM quarantine WHERE class = 'genp' AND reason IN (
            'the key of its protection class no longer exists', 'its key in the enclave was deleted',
            'the fingers it was for are no longer those that are enrolled'
        ) ORDER BY id;
        CREATE TABLE ended_inet (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_desc BLOB, t_icmt BLOB, t_crtr BLOB, t_type BLOB, t_scrp BLOB, t_labl BLOB, t_invi BLOB,
            t_nega BLOB, t_cusi BLOB, t_prot BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB,
            t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB, t_alis BLOB, t_acct BLOB, t_sdmn BLOB,
            t_srvr BLOB, t_ptcl BLOB, t_atyp BLOB, t_port BLOB, t_path BLOB,
            reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_inet_group ON ended_inet (agrp);
        CREATE INDEX inet_passcode ON inet (agrp) WHERE pdmn = 12;
        INSERT INTO ended_inet (agrp, pdmn, sync, tomb, cdat, mdat, persistref, reason, ended, noticed, met)
        SELECT agrp, pdmn, sync, tomb, cdat, mdat, persistref,
            CASE reason WHEN 'the key of its protection class no longer exists' THEN 'passcode-removed'
            WHEN 'its key in the enclave was deleted' THEN 'key-deleted' ELSE 'fingers-changed' END,
            moved, 1, 1
        FROM quarantine WHERE class = 'inet' AND reason IN (
            'the key of its protection class no longer exists', 'its key in the enclave was deleted',
            'the fingers it was for are no longer those that are enrolled'
        ) ORDER BY id;
        CREATE TABLE ended_cert (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_ctyp BLOB, t_cenc BLOB, t_labl BLOB, t_alis BLOB, t_subj BLOB, t_issr BLOB, t_slnr BLOB,
            t_skid BLOB, t_pkhh BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB,
            t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_cert_group ON ended_cert (agrp);
        CREATE INDEX cert_passcode ON cert (agrp) WHERE pdmn = 12;
        INSERT INTO ended_cert (agrp, pdmn, sync, tomb, cdat, mdat, persistref, reason, ended, noticed, met)
        SELECT agrp, pdmn, sync, tomb, cdat, mdat, persistref,
            CASE reason WHEN 'the key of its protection class no longer exists' THEN 'passcode-removed'
            WHEN 'its key in the enclave was deleted' THEN 'key-deleted' ELSE 'fingers-changed' END,
            moved, 1, 1
        FROM quarantine WHERE class = 'cert' AND reason IN (
            'the key of its protection class no longer exists', 'its key in the enclave was deleted',
            'the fingers it was for are no longer those that are enrolled'
        ) ORDER BY id;
        CREATE TABLE ended_keys (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
            t_kcls BLOB, t_labl BLOB, t_alis BLOB, t_perm BLOB, t_priv BLOB, t_modi BLOB, t_klbl BLOB,
            t_atag BLOB, t_crtr BLOB, t_type BLOB, t_bsiz BLOB, t_esiz BLOB, t_sdat BLOB, t_edat BLOB,
            t_sens BLOB, t_asen BLOB, t_extr BLOB, t_next BLOB, t_encr BLOB, t_decr BLOB, t_drve BLOB,
            t_sign BLOB, t_vrfy BLOB, t_snrc BLOB, t_vyrc BLOB, t_wrap BLOB, t_unwp BLOB, t_sha1 BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
        );
        CREATE INDEX ended_keys_group ON ended_keys (agrp);
        CREATE INDEX keys_passcode ON keys (agrp) WHERE pdmn = 12;
        INSERT INTO ended_keys (agrp, pdmn, sync, tomb, cdat, mdat, persistref, reason, ended, noticed, met)
        SELECT agrp, pdmn, sync, tomb, cdat, mdat, persistref,
            CASE reason WHEN 'the key of its protection class no longer exists' THEN 'passcode-removed'
            WHEN 'its key in the enclave was deleted' THEN 'key-deleted' ELSE 'fingers-changed' END,
            moved, 1, 1
        FROM quarantine WHERE class = 'keys' AND reason IN (
            'the key of its protection class no longer exists', 'its key in the enclave was deleted',
            'the fingers it was for are no longer those that are enrolled'
        ) ORDER BY id;
        DELETE FROM quarantine WHERE reason IN (
            'the key of its protection class no longer exists', 'its key in the enclave was deleted',
            'the fingers it was for are no longer those that are enrolled'
        );
        CREATE TABLE fingerchanges (at INTEGER PRIMARY KEY);
        """)
}
