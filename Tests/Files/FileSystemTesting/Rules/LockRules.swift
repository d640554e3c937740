import Glibc

/// Locks, between descriptors and between processes.
let lockRules: [FileSystemRule] = [
    FileSystemRule("flock excludes another descriptor until it is unlocked") { stage in
        let one = try stage.files.create("a")
        let other = try stage.files.open("a")
        try one.lock(LOCK_EX)
        try refused(EWOULDBLOCK) { try other.lock(LOCK_EX) }
        try refused(EWOULDBLOCK) { try other.lock(LOCK_SH) }
        try one.lock(LOCK_UN)
        try other.lock(LOCK_EX)
        try refused(EWOULDBLOCK) { try one.lock(LOCK_SH) }
        try one.close()
        try other.close()
    },
    FileSystemRule("flock ends with the last close of the descriptor") { stage in
        // In a process that starts no others: a child would hold the descriptor until it runs its own program.
        try stage.files.create("a").close()
        let path = (stage.files.path / "a").text
        try equal(OtherProcess.answer(stage, ["flock-close", path]), "EAGAIN locked", "before and after close")
    },
    FileSystemRule("flock is shared among readers") { stage in
        let one = try stage.files.create("a")
        let other = try stage.files.open("a", O_RDONLY)
        try one.lock(LOCK_SH)
        try other.lock(LOCK_SH)
        try refused(EWOULDBLOCK) { try one.lock(LOCK_EX) }
        try other.lock(LOCK_UN)
        try one.lock(LOCK_EX)
        try one.close()
        try other.close()
    },
    FileSystemRule("flock excludes another process, and ends with it") { stage in
        let file = try stage.files.create("a")
        let path = (stage.files.path / "a").text
        try file.lock(LOCK_EX)
        try equal(OtherProcess.answer(stage, ["flock", path]), "EAGAIN", "the other process's lock")
        try file.lock(LOCK_UN)
        try equal(OtherProcess.answer(stage, ["flock", path]), "locked", "the other process's lock")
        try file.lock(LOCK_EX)
        try file.close()
    },
    FileSystemRule("a range that is locked excludes another process there, and nowhere else") { stage in
        let file = try stage.files.create("a", pattern(100))
        let path = (stage.files.path / "a").text
        try file.lockRange(.exclusive, 10, 20)
        try equal(OtherProcess.answer(stage, ["lock", path, "10", "1"]), "EAGAIN", "within")
        try equal(OtherProcess.answer(stage, ["lock", path, "29", "5"]), "EAGAIN", "across the end")
        try equal(OtherProcess.answer(stage, ["lock", path, "30", "5"]), "locked", "behind")
        try equal(OtherProcess.answer(stage, ["lock", path, "0", "10"]), "locked", "before")
        try file.lockRange(.none, 10, 20)
        try equal(OtherProcess.answer(stage, ["lock", path, "10", "1"]), "locked", "unlocked")
        try file.close()
    },
    FileSystemRule("a shared range lets another process read, not write") { stage in
        let file = try stage.files.create("a", pattern(100))
        let path = (stage.files.path / "a").text
        try file.lockRange(.shared, 0, 0)
        try equal(OtherProcess.answer(stage, ["lock-shared", path, "5", "5"]), "locked", "shared")
        try equal(OtherProcess.answer(stage, ["lock", path, "5", "5"]), "EAGAIN", "exclusive")
        try file.close()
    },
    FileSystemRule("the holder of a range's lock is named to another process") { stage in
        let file = try stage.files.create("a", pattern(100))
        let path = (stage.files.path / "a").text
        try file.lockRange(.exclusive, 0, 50)
        try equal(OtherProcess.answer(stage, ["lock-holder", path, "0", "10"]), "\(getpid())", "holder")
        try equal(OtherProcess.answer(stage, ["lock-holder", path, "60", "10"]), "0", "holder elsewhere")
        try file.close()
    },
    FileSystemRule("closing any descriptor of the file ends a process's range locks") { stage in
        let file = try stage.files.create("a", pattern(100))
        let path = (stage.files.path / "a").text
        try file.lockRange(.exclusive, 0, 0)
        try stage.files.open("a", O_RDONLY).close()
        try equal(OtherProcess.answer(stage, ["lock", path, "0", "10"]), "locked", "the other process's lock")
        try file.close()
    },
    FileSystemRule("a file that is locked is still read, written and removed") { stage in
        let file = try stage.files.create("a", [1])
        try file.lock(LOCK_EX)
        try stage.files.open("a").write([2], at: 1)
        try equal(stage.files.contents("a"), [1, 2], "bytes")
        try stage.files.unlink("a")
        try file.close()
    },
    FileSystemRule("an exclusive range needs a descriptor for writing: EBADF") { stage in
        try stage.files.create("a", [1]).close()
        let reader = try stage.files.open("a", O_RDONLY)
        try refused(EBADF) { try reader.lockRange(.exclusive, 0, 1) }
        try reader.lockRange(.shared, 0, 1)
        try reader.close()
    },
]
