extension Migration {
    /// The tables of certificates and keys.
    static let format4 = Migration(
        "4",
        """
        CREATE TABLE cert (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
            t_ctyp BLOB, t_cenc BLOB, t_labl BLOB, t_alis BLOB, t_subj BLOB, t_issr BLOB, t_slnr BLOB,
            t_skid BLOB, t_pkhh BLOB, t_sha1 BLOB, t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB,
            t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
        );
        CREATE UNIQUE INDEX cert_place ON cert (agrp, t_issr, t_slnr, pk);
        CREATE INDEX cert_slnr ON cert (t_slnr);
        CREATE INDEX cert_change ON cert (change) WHERE sync = 1;
        CREATE INDEX cert_labl ON cert (t_labl) WHERE t_labl IS NOT NULL;
        CREATE INDEX cert_subj ON cert (t_subj) WHERE t_subj IS NOT NULL;
        CREATE INDEX cert_skid ON cert (t_skid) WHERE t_skid IS NOT NULL;
        CREATE INDEX cert_pkhh ON cert (t_pkhh) WHERE t_pkhh IS NOT NULL;
        CREATE TABLE keys (
            rowid INTEGER PRIMARY KEY,
            agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
            cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
            persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
            t_kcls BLOB, t_labl BLOB, t_alis BLOB, t_perm BLOB, t_priv BLOB, t_modi BLOB, t_klbl BLOB,
            t_atag BLOB, t_crtr BLOB, t_type BLOB, t_bsiz BLOB, t_esiz BLOB, t_sdat BLOB, t_edat BLOB,
            t_sens BLOB, t_asen BLOB, t_extr BLOB, t_next BLOB, t_encr BLOB, t_decr BLOB, t_drve BLOB,
            t_sign BLOB, t_vrfy BLOB, t_snrc BLOB, t_vyrc BLOB, t_wrap BLOB, t_unwp BLOB, t_sha1 BLOB,
            t_vwht BLOB, t_tkid BLOB, t_ggrp BLOB, t_sysb BLOB, t_pcss BLOB, t_pcsk BLOB, t_pcsi BLOB,
            attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
        );
        CREATE UNIQUE INDEX keys_place ON keys (agrp, t_klbl, t_atag, pk);
        CREATE INDEX keys_atag ON keys (t_atag);
        CREATE INDEX keys_change ON keys (change) WHERE sync = 1;
        CREATE INDEX keys_labl ON keys (t_labl) WHERE t_labl IS NOT NULL;
        """)
}
