import Glibc

/// Permissions, as another user meets them.
let permissionRules: [FileSystemRule] = [
    FileSystemRule("another user does not open a file of mode 600, and opens one of mode 644 for reading only") {
        stage in
        try needRoot()
        try stage.files.create("closed", [1], mode: 0o600).close()
        try stage.files.create("open", [2]).changeMode(0o644)
        try OtherUser.run {
            try refused(EACCES) { try stage.files.open("closed", O_RDONLY) }
            try refused(EACCES) { try stage.files.open("open", O_RDWR) }
            try equal(stage.files.contents("open"), [2], "bytes")
        }
    },
    FileSystemRule("the owner does not open a file of mode 000") { stage in
        try needRoot()
        try stage.files.create("a", [1]).close()
        try stage.files.changeOwner("a", OtherUser.number, OtherUser.number)
        try stage.files.changeMode("a", 0)
        try OtherUser.run {
            try refused(EACCES) { try stage.files.open("a", O_RDONLY) }
            try stage.files.changeMode("a", 0o400)
            try equal(stage.files.contents("a"), [1], "bytes")
            try refused(EACCES) { try stage.files.open("a", O_WRONLY) }
            try refused(EACCES) { try stage.files.truncate("a", 0) }
        }
    },
    FileSystemRule("the first class that fits decides: an owner without rights is not helped by others'") { stage in
        try needRoot()
        try stage.files.create("a", [1]).close()
        try stage.files.changeOwner("a", OtherUser.number, OtherUser.number)
        try stage.files.changeMode("a", 0o077)
        try OtherUser.run { try refused(EACCES) { try stage.files.open("a", O_RDONLY) } }
    },
    FileSystemRule("another user makes and removes no names in a directory of mode 755") { stage in
        try needRoot()
        try stage.files.makeDirectory("d")
        try stage.files.changeMode("d", 0o755)
        try stage.files.create("d/a").changeMode(0o666)
        try OtherUser.run {
            try refused(EACCES) { try stage.files.create("d/b") }
            try refused(EACCES) { try stage.files.makeDirectory("d/e") }
            try refused(EACCES) { try stage.files.unlink("d/a") }
            try refused(EACCES) { try stage.files.rename("d/a", "d/b") }
            // EPERM where links to the files of others are restricted (fs.protected_hardlinks).
            try refused(EACCES, EPERM) { try stage.files.link("d/a", "d/b") }
            try refused(EACCES) { try stage.files.symlink("x", "d/l") }
        }
        try equal(stage.files.names("d"), ["a"], "names")
    },
    FileSystemRule("what another user makes is that user's") { stage in
        try needRoot()
        try stage.files.makeDirectory("d")
        try stage.files.changeMode("d", 0o777)
        try OtherUser.run {
            try stage.files.create("d/a", [1]).close()
            try stage.files.makeDirectory("d/e")
            try stage.files.symlink("x", "d/l")
        }
        for name: Path in ["d/a", "d/e", "d/l"] {
            try equal(stage.files.status(name).owner, OtherUser.number, "owner of \(name)")
            try equal(stage.files.status(name).group, OtherUser.number, "group of \(name)")
        }
    },
    FileSystemRule("a directory without x is not passed, one without r not listed") { stage in
        try needRoot()
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a", [1]).close()
        try stage.files.changeMode("d", 0o744)
        try OtherUser.run {
            try refused(EACCES) { _ = try stage.files.status("d/a") }
            try equal(stage.files.names("d"), ["a"], "names")
        }
        try stage.files.changeMode("d", 0o711)
        try OtherUser.run {
            try refused(EACCES) { _ = try stage.files.names("d") }
            try equal(stage.files.contents("d/a"), [1], "bytes")
        }
    },
    FileSystemRule("the sticky bit keeps others' names") { stage in
        try needRoot()
        try stage.files.makeDirectory("d")
        try stage.files.changeMode("d", 0o1777)
        try stage.files.create("d/a").changeMode(0o666)
        try OtherUser.run {
            try refused(EPERM, EACCES) { try stage.files.unlink("d/a") }
            try refused(EPERM, EACCES) { try stage.files.rename("d/a", "d/b") }
            try stage.files.create("d/own").close()
            try stage.files.unlink("d/own")
        }
        try equal(stage.files.names("d"), ["a"], "names")
    },
    FileSystemRule("only the owner changes mode and times; no other user gives files away") { stage in
        try needRoot()
        try stage.files.create("a").changeMode(0o666)
        try stage.files.create("own").close()
        try stage.files.changeOwner("own", OtherUser.number, OtherUser.number)
        try OtherUser.run {
            try refused(EPERM) { try stage.files.changeMode("a", 0o600) }
            try refused(EPERM) { try stage.files.changeOwner("a", OtherUser.number, UInt32.max) }
            try refused(EPERM) { try stage.files.setTimes("a", accessed: 1, modified: 1) }
            // To now: every process that may write.
            try stage.files.setTimesToNow("a")
            try refused(EPERM) { try stage.files.changeOwner("own", 0, UInt32.max) }
            try stage.files.changeMode("own", 0o640)
        }
        try equal(stage.files.status("own").mode, 0o640, "mode")
    },
    FileSystemRule("a write by another user takes away set-user-ID, like a change of owner") { stage in
        try needRoot()
        try stage.files.create("a", [1]).close()
        try stage.files.changeMode("a", 0o6777)
        try OtherUser.run { try stage.files.open("a", O_WRONLY).write([2], at: 0) }
        try equal(stage.files.status("a").mode & 0o4000, 0, "the bit after the write")
        try stage.files.changeMode("a", 0o6777)
        try stage.files.changeOwner("a", 5, 5)
        try equal(stage.files.status("a").mode & 0o4000, 0, "the bit after the change of owner")
    },
    FileSystemRule("root opens what its mode forbids") { stage in
        try needRoot()
        try stage.files.create("a", [1], mode: 0).close()
        try stage.files.changeOwner("a", OtherUser.number, OtherUser.number)
        let file = try stage.files.open("a", O_RDWR)
        try file.write([2], at: 1)
        try equal(file.contents(), [1, 2], "bytes")
    },
    FileSystemRule("a file that is open stays usable after its mode forbids it") { stage in
        try needRoot()
        try stage.files.create("a", [1]).close()
        try stage.files.changeOwner("a", OtherUser.number, OtherUser.number)
        try OtherUser.run {
            let file = try stage.files.open("a", O_RDWR)
            try stage.files.changeMode("a", 0)
            try file.write(pattern(9000), at: 0)
            try file.synchronize()
            try file.dropPages()
            try equal(bytes: file.contents(), pattern(9000), "bytes")
            try file.truncate(5)
            try file.close()
        }
        try equal(bytes: stage.files.contents("a"), Array(pattern(9000)[..<5]), "bytes")
    },
    FileSystemRule("a user creates a file of mode 000 or 444 and writes it") { stage in
        try needRoot()
        try stage.files.makeDirectory("d")
        try stage.files.changeMode("d", 0o777)
        try OtherUser.run {
            for mode: UInt32 in [0, 0o444] {
                let file = try stage.files.create("d/m\(mode)", mode: mode)
                try file.write(pattern(9000), at: 0)
                try file.close()
            }
        }
        try equal(bytes: stage.files.contents("d/m0"), pattern(9000), "bytes")
        try equal(bytes: stage.files.contents("d/m\(0o444)"), pattern(9000), "bytes")
    },
    FileSystemRule("access says what open would") { stage in
        try stage.files.create("a", mode: 0o644).close()
        try stage.files.access("a", R_OK | W_OK)
        try refused(EACCES) { try stage.files.access("a", X_OK) }
        try refused(ENOENT) { try stage.files.access("x", F_OK) }
    },
]
