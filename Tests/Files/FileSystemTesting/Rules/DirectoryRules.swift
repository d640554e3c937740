import Glibc

/// Directories: making and removing them.
let directoryRules: [FileSystemRule] = [
    FileSystemRule("mkdir makes an empty directory") { stage in
        try stage.files.makeDirectory("d", mode: 0o750)
        let status = try stage.files.status("d")
        try equal(status.kind, .directory, "kind")
        try equal(status.mode, 0o750 & ~TestDirectory.umask, "mode")
        try equal(stage.files.names("d"), [], "names")
    },
    FileSystemRule("mkdir over a file, a directory or a link is EEXIST") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try stage.files.symlink("nowhere", "l")
        for name: Path in ["a", "d", "l"] { try refused(EEXIST) { try stage.files.makeDirectory(name) } }
    },
    FileSystemRule("mkdir below nothing is ENOENT, below a file ENOTDIR") { stage in
        try stage.files.create("a").close()
        try refused(ENOENT) { try stage.files.makeDirectory("x/y") }
        try refused(ENOTDIR) { try stage.files.makeDirectory("a/y") }
    },
    FileSystemRule("rmdir removes an empty directory and refuses a full one") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a").close()
        try refused(ENOTEMPTY, EEXIST) { try stage.files.removeDirectory("d") }
        try stage.files.unlink("d/a")
        try stage.files.removeDirectory("d")
        try refused(ENOENT) { _ = try stage.files.status("d") }
    },
    FileSystemRule("rmdir of a file or a link is ENOTDIR, of nothing ENOENT, of . EINVAL") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try stage.files.symlink("d", "l")
        try refused(ENOTDIR) { try stage.files.removeDirectory("a") }
        try refused(ENOTDIR) { try stage.files.removeDirectory("l") }
        try refused(ENOENT) { try stage.files.removeDirectory("x") }
        try refused(EINVAL) { try stage.files.removeDirectory("d/.") }
        try refused(ENOTEMPTY, EEXIST) { try stage.files.removeDirectory("d/..") }
    },
    FileSystemRule("unlink of a directory is EISDIR or EPERM, of nothing ENOENT") { stage in
        try stage.files.makeDirectory("d")
        try refused(EISDIR, EPERM) { try stage.files.unlink("d") }
        try refused(ENOENT) { try stage.files.unlink("x") }
    },
    FileSystemRule("unlink removes a link, not its target") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.symlink("a", "l")
        try stage.files.unlink("l")
        try equal(stage.files.contents("a"), [1], "bytes")
        try equal(stage.files.names(), ["a"], "names")
    },
    FileSystemRule("a directory's links count its subdirectories, or are always 1") { stage in
        try stage.files.makeDirectory("d")
        let empty = try stage.files.status("d").links
        try expect(empty == 2 || empty == 1, "an empty directory has \(empty) links")
        for number in 0..<3 { try stage.files.makeDirectory("d/\(number)") }
        try stage.files.create("d/file").close()
        try equal(stage.files.status("d").links, empty == 1 ? 1 : 5, "links with 3 subdirectories")
        try stage.files.removeDirectory("d/1")
        try equal(stage.files.status("d").links, empty == 1 ? 1 : 4, "links with 2 subdirectories")
    },
    FileSystemRule("making and removing names moves the directory's time of modification") { stage in
        try stage.files.makeDirectory("d")
        func moves(_ subject: String, _ body: () throws -> Void) throws {
            try stage.files.setTimes("d", accessed: 1_000_000_000, modified: 1_000_000_000)
            try body()
            try expect(try stage.files.status("d").modified > 1_000_000_000, "\(subject) left the directory's time")
        }
        try moves("creat") { try stage.files.create("d/a").close() }
        try moves("link") { try stage.files.link("d/a", "d/b") }
        try moves("rename") { try stage.files.rename("d/b", "d/c") }
        try moves("unlink") { try stage.files.unlink("d/c") }
        try moves("mkdir") { try stage.files.makeDirectory("d/e") }
        try moves("rmdir") { try stage.files.removeDirectory("d/e") }
        try moves("symlink") { try stage.files.symlink("x", "d/l") }
    },
    FileSystemRule("a tree of 60 levels works from its deepest place to its root") { stage in
        var deep: Path = "0"
        try stage.files.makeDirectory(deep)
        for level in 1..<60 {
            deep = deep / "directory-\(level)"
            try stage.files.makeDirectory(deep)
        }
        try stage.files.create(deep / "a", [1, 2]).close()
        try equal(stage.files.contents(deep / "a"), [1, 2], "bytes")
        try equal(stage.files.names(deep), ["a"], "names")
    },
    FileSystemRule("a path of more than 4095 bytes is ENAMETOOLONG; from a descriptor on, the place is reached") {
        stage in
        let name = Path(String(repeating: "n", count: 200))
        var place = try OpenFile(stage.files.path, O_RDONLY | O_DIRECTORY)
        for _ in 0..<25 {
            let here = TestDirectory("/proc/self/fd/\(place.descriptor)")
            try here.makeDirectory(name)
            place = try place.open(name, O_RDONLY | O_DIRECTORY)
        }
        let bottom = TestDirectory("/proc/self/fd/\(place.descriptor)")
        try bottom.create("a", [5]).close()
        try equal(bottom.contents("a"), [5], "bytes at the bottom")
        let whole = (0..<25).reduce(Path("")) { path, _ in path / name }
        try refused(ENAMETOOLONG) { _ = try stage.files.status(whole) }
        // Removed from the bottom up: by path it cannot be reached.
        try bottom.unlink("a")
        for level in stride(from: 24, through: 0, by: -1) {
            var parent = try OpenFile(stage.files.path, O_RDONLY | O_DIRECTORY)
            for _ in 0..<level { parent = try parent.open(name, O_RDONLY | O_DIRECTORY) }
            try TestDirectory("/proc/self/fd/\(parent.descriptor)").removeDirectory(name)
        }
    },
    FileSystemRule("a removed directory that is open has no entries and takes no new ones") { stage in
        try stage.files.makeDirectory("d")
        let directory = try stage.files.open("d", O_RDONLY | O_DIRECTORY)
        try stage.files.removeDirectory("d")
        try refused(ENOENT) { _ = try directory.open("a", O_RDWR | O_CREAT) }
        try equal(directory.status().kind, .directory, "kind")
    },
    FileSystemRule("the set-group-ID bit of a directory goes to what is made in it") { stage in
        try needRoot()
        try stage.files.makeDirectory("d")
        try stage.files.changeOwner("d", 0, OtherUser.number)
        try stage.files.changeMode("d", 0o2755)
        try stage.files.create("d/a").close()
        try stage.files.makeDirectory("d/e")
        try equal(stage.files.status("d/a").group, OtherUser.number, "group of the file")
        try equal(stage.files.status("d/e").group, OtherUser.number, "group of the directory")
        try equal(stage.files.status("d/e").mode & 0o2000, 0o2000, "the bit of the directory")
    },
]
