import Glibc

/// Modes, owners, times and inodes.
let statusRules: [FileSystemRule] = [
    FileSystemRule("an inode's number stays: after writes, renames, fsync, and when opened again") { stage in
        let file = try stage.files.create("a", [1])
        let inode = try file.status().inode
        try file.write(pattern(100_000), at: 0)
        try file.synchronize()
        try equal(stage.files.status("a").inode, inode, "after a write")
        try stage.files.makeDirectory("d")
        try stage.files.rename("a", "d/b")
        try equal(stage.files.status("d/b").inode, inode, "after a rename")
        try file.close()
        try equal(stage.files.open("d/b").status().inode, inode, "opened again")
    },
    FileSystemRule("different files have different inodes") { stage in
        var inodes = Set<UInt64>()
        for number in 0..<300 { inodes.insert(try stage.files.create("n\(number)").status().inode) }
        try equal(inodes.count, 300, "inodes")
    },
    FileSystemRule("stat and fstat agree") { stage in
        let file = try stage.files.create("a", pattern(12_345))
        try equal(file.status(), stage.files.status("a"), "status")
    },
    FileSystemRule("the mode of a new file is what was asked for, less the umask") { stage in
        for mode: UInt32 in [0o600, 0o644, 0o666, 0o777, 0o755, 0o400, 0o1707, 0] {
            try stage.files.create("m\(mode)", mode: mode).close()
            try equal(stage.files.status("m\(mode)").mode, mode & ~TestDirectory.umask, "mode")
        }
    },
    FileSystemRule("chmod sets each permission, by path and by descriptor") { stage in
        let file = try stage.files.create("a")
        try stage.files.makeDirectory("d")
        for mode: UInt32 in [0, 0o400, 0o777, 0o1755, 0o640, 0o4755, 0o2711] {
            try stage.files.changeMode("a", mode)
            try equal(stage.files.status("a").mode, mode, "mode")
            try stage.files.changeMode("d", mode)
            try equal(stage.files.status("d").mode, mode, "mode of the directory")
        }
        try file.changeMode(0o606)
        try equal(stage.files.status("a").mode, 0o606, "mode by descriptor")
        try refused(ENOENT) { try stage.files.changeMode("x", 0o600) }
    },
    FileSystemRule("chmod moves the time of change, not that of modification") { stage in
        try stage.files.create("a").close()
        try stage.files.setTimes("a", accessed: 1_000_000_000, modified: 2_000_000_000)
        let before = try stage.files.status("a").changed
        try stage.files.changeMode("a", 0o600)
        try equal(stage.files.status("a").modified, 2_000_000_000, "time of modification")
        try expect(try stage.files.status("a").changed >= before, "the time of change went back")
    },
    FileSystemRule("chown sets owner and group, and -1 leaves them") { stage in
        try needRoot()
        try stage.files.create("a").close()
        try stage.files.changeOwner("a", 1234, 5678)
        try equal(stage.files.status("a").owner, 1234, "owner")
        try equal(stage.files.status("a").group, 5678, "group")
        try stage.files.changeOwner("a", UInt32.max, 99)
        try equal(stage.files.status("a").owner, 1234, "owner")
        try equal(stage.files.status("a").group, 99, "group")
        try stage.files.changeOwner("a", 7, UInt32.max)
        try equal(stage.files.status("a").owner, 7, "owner")
        try equal(stage.files.status("a").group, 99, "group")
    },
    FileSystemRule("chown through a link changes the target") { stage in
        try needRoot()
        try stage.files.create("a").close()
        try stage.files.symlink("a", "l")
        try stage.files.changeOwner("l", 1234, 5678)
        try equal(stage.files.status("a").owner, 1234, "owner of the target")
    },
    FileSystemRule("utimensat sets times to the nanosecond, before 2000 and after 2038 too") { stage in
        try stage.files.create("a").close()
        for (accessed, modified): (Int64, Int64) in [
            (1_000_000_001, 1_500_000_000_123_456_789), (0, 1), (86_400_000_000_000, 4_000_000_000_999_999_999),
        ] {
            try stage.files.setTimes("a", accessed: accessed, modified: modified)
            let status = try stage.files.status("a")
            try equal(status.accessed, accessed, "time of access")
            try equal(status.modified, modified, "time of modification")
        }
    },
    FileSystemRule("utimensat leaves a time with UTIME_OMIT") { stage in
        try stage.files.create("a").close()
        try stage.files.setTimes("a", accessed: 1_000_000_007, modified: 2_000_000_007)
        try stage.files.setTimes("a", accessed: -1, modified: 3_000_000_007)
        try equal(stage.files.status("a").accessed, 1_000_000_007, "time of access")
        try equal(stage.files.status("a").modified, 3_000_000_007, "time of modification")
        try stage.files.setTimes("a", accessed: 4_000_000_007, modified: -1)
        try equal(stage.files.status("a").modified, 3_000_000_007, "time of modification")
    },
    FileSystemRule("utimensat without times sets both to now") { stage in
        try stage.files.create("a").close()
        try stage.files.setTimes("a", accessed: 1, modified: 1)
        try stage.files.setTimesToNow("a")
        let status = try stage.files.status("a")
        try expect(status.modified > 1_600_000_000_000_000_000, "time of modification \(status.modified)")
        try expect(status.accessed > 1_600_000_000_000_000_000, "time of access \(status.accessed)")
    },
    FileSystemRule("times that were set stay after close: write, utimensat, close") { stage in
        let file = try stage.files.create("a", pattern(20_000))
        try stage.files.setTimes("a", accessed: 1_111_111_111, modified: 2_222_222_222)
        try file.close()
        try equal(stage.files.status("a").modified, 2_222_222_222, "time of modification")
        try equal(stage.files.open("a", O_RDONLY).status().modified, 2_222_222_222, "time, opened again")
    },
    FileSystemRule("times that were set stay after fsync: write, futimens, fsync, close") { stage in
        let file = try stage.files.create("a", pattern(20_000))
        try file.setTimes(accessed: 1_111_111_111, modified: 2_222_222_222)
        try file.synchronize()
        try equal(file.status().modified, 2_222_222_222, "time after fsync")
        try file.dropPages()
        try file.close()
        try equal(stage.files.status("a").modified, 2_222_222_222, "time after close")
    },
    FileSystemRule("times that were set stay after reading") { stage in
        let file = try stage.files.create("a", pattern(20_000))
        try file.setTimes(accessed: 1_111_111_111, modified: 2_222_222_222)
        _ = try file.contents()
        try equal(file.status().modified, 2_222_222_222, "time of modification")
    },
    FileSystemRule("write, truncate and mapped writes move the time of modification") { stage in
        let file = try stage.files.create("a", pattern(8192))
        func moves(_ subject: String, _ body: () throws -> Void) throws {
            try file.setTimes(accessed: 1_000_000_000, modified: 1_000_000_000)
            try body()
            try file.synchronize()
            try expect(try file.status().modified > 1_000_000_000, "\(subject) left the time of modification")
        }
        try moves("write") { try file.write([1], at: 3) }
        try moves("ftruncate") { try file.truncate(100) }
        try moves("ftruncate that extends") { try file.truncate(8192) }
        try moves("a mapped write") { try file.withMap(0, 8192, synchronizing: true) { $0[5] = 9 } }
    },
    FileSystemRule("times of a directory are set and stay") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.setTimes("d", accessed: 1_000_000_003, modified: 2_000_000_004)
        try equal(stage.files.status("d").modified, 2_000_000_004, "time")
        _ = try stage.files.names("d")
        try equal(stage.files.status("d").modified, 2_000_000_004, "time after a listing")
    },
    FileSystemRule("a time that was set outlives a later truncation to 0 and a rename of the file") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.setTimes("a", accessed: 1_000_000_000, modified: 1_234_567_890)
        try stage.files.rename("a", "b")
        try equal(stage.files.status("b").modified, 1_234_567_890, "time after a rename")
    },
]
