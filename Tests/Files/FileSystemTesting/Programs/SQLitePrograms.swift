extension RealPrograms {
    /// One database in each journal mode.
    package static let sqlite = RealProgram(name: "sqlite3", needs: ["sqlite3": "sqlite3"]) { stage in
        for mode in ["delete", "truncate", "persist", "wal", "memory", "off"] {
            for map in [0, 1 << 24] {
                try workload(stage, mode: mode, mapByteCount: map)
            }
        }
    }

    private static func workload(_ stage: ProgramStage, mode: String, mapByteCount: Int) throws {
        let name = "\(mode)-\(mapByteCount).db"
        let settings = "PRAGMA mmap_size=\(mapByteCount); PRAGMA journal_mode=\(mode);"
        let output = try stage.run(
            ["sqlite3", "-bail", name],
            input: """
                \(settings)
                CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, bytes BLOB);
                CREATE INDEX i ON t(text);
                BEGIN;
                WITH RECURSIVE n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 4000)
                INSERT INTO t SELECT x, 'row ' || (x * 7919 % 4001), zeroblob(x % 300) FROM n;
                COMMIT;
                UPDATE t SET text = text || ' changed' WHERE id % 3 = 0;
                DELETE FROM t WHERE id % 5 = 0;
                BEGIN; DELETE FROM t WHERE id < 1000; \(mode == "off" ? "COMMIT" : "ROLLBACK");
                INSERT INTO t VALUES (9999, 'large', zeroblob(500000));
                VACUUM;
                REINDEX;

                """)
        try stage.expect(String(output.split(separator: "\n").last ?? ""), mode, "journal mode of \(name)")
        let rows = mode == "off" ? 2401 : 3201
        let found = try stage.run(
            ["sqlite3", "-bail", name, "\(settings) PRAGMA integrity_check; SELECT count(*) FROM t;"])
        let lines = found.split(separator: "\n").suffix(2).joined(separator: " ")
        try stage.expect(lines, "ok \(rows)", "integrity and rows of \(name)")
        try stage.run(["sqlite3", "-bail", name, ".backup backup-\(name)"])
        try stage.expect(
            stage.run(["sqlite3", "-bail", "backup-\(name)", "PRAGMA integrity_check; SELECT count(*) FROM t;"]),
            "ok\n\(rows)", "the backup of \(name)")
    }

    /// Four processes write one database at once: locks, and in WAL mode memory that they share.
    package static let sqliteProcesses = RealProgram(
        name: "sqlite3 in several processes", needs: ["sqlite3": "sqlite3"]
    ) { stage in
        for mode in ["delete", "wal"] {
            let name = "\(mode).db"
            try stage.run(
                ["sqlite3", "-bail", name, "PRAGMA journal_mode=\(mode); CREATE TABLE t(writer INT, number INT);"])
            // Each insertion is a transaction, which waits as long as it takes for the others.
            try stage.shell(
                """
                for writer in 1 2 3 4; do
                    for number in $(seq 40); do echo "INSERT INTO t VALUES ($writer, $number);"; done > in-$writer
                    (sqlite3 -bail -cmd '.timeout 600000' \(name) < in-$writer || echo $writer >> failed) &
                done
                wait
                test ! -e failed
                """)
            try stage.expect(
                stage.run(
                    [
                        "sqlite3", "-bail", name,
                        "PRAGMA integrity_check; SELECT writer, count(*), sum(number) FROM t GROUP BY writer;",
                    ]),
                "ok\n1|40|820\n2|40|820\n3|40|820\n4|40|820", "rows in \(mode) mode")
        }
    }
}
