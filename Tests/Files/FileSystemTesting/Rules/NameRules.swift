import Glibc

/// Names: their length and their bytes.
let nameRules: [FileSystemRule] = [
    FileSystemRule("names of 1 to 255 bytes") { stage in
        for count in [1, 2, 15, 16, 17, 100, 143, 144, 174, 175, 176, 200, 254, 255] {
            let name = Path(String(repeating: "x", count: count))
            try stage.files.create(name, [UInt8(count)]).close()
            try equal(stage.files.contents(name), [UInt8(count)], "bytes of the name of \(count) bytes")
        }
        try equal(
            stage.files.names().map(\.bytes.count), [1, 2, 15, 16, 17, 100, 143, 144, 174, 175, 176, 200, 254, 255],
            "lengths")
    },
    FileSystemRule("names of 255 bytes for directories, links and renames") { stage in
        func name(_ letter: String) -> Path { Path(String(repeating: letter, count: 255)) }
        try stage.files.makeDirectory(name("d"))
        try stage.files.create(name("d") / name("a"), [1]).close()
        try stage.files.link(name("d") / name("a"), name("b"))
        try stage.files.symlink(name("b"), name("s"))
        try stage.files.rename(name("b"), name("c"))
        try stage.files.rename(name("d"), name("e"))
        try equal(stage.files.contents(name("c")), [1], "bytes")
        try equal(stage.files.contents(name("e") / name("a")), [1], "bytes")
        try equal(stage.files.readLink(name("s")), name("b"), "target")
    },
    FileSystemRule("names of 255 bytes that differ in the last one") { stage in
        let stem = String(repeating: "n", count: 254)
        for letter in ["a", "b", "c"] { try stage.files.create(Path(stem + letter), Array(letter.utf8)).close() }
        for letter in ["a", "b", "c"] {
            try equal(stage.files.contents(Path(stem + letter)), Array(letter.utf8), "bytes")
        }
        try stage.files.unlink(Path(stem + "b"))
        try equal(stage.files.names(), [Path(stem + "a"), Path(stem + "c")], "names")
    },
    FileSystemRule("a name of 256 bytes is ENAMETOOLONG, in each call") { stage in
        let name = Path(String(repeating: "x", count: 256))
        try stage.files.create("a").close()
        try refused(ENAMETOOLONG) { try stage.files.open(name, O_RDWR | O_CREAT) }
        try refused(ENAMETOOLONG) { try stage.files.open(name, O_RDONLY) }
        try refused(ENAMETOOLONG) { try stage.files.makeDirectory(name) }
        try refused(ENAMETOOLONG) { try stage.files.symlink("x", name) }
        try refused(ENAMETOOLONG) { try stage.files.link("a", name) }
        try refused(ENAMETOOLONG) { try stage.files.rename("a", name) }
        try refused(ENAMETOOLONG) { try stage.files.unlink(name) }
        try refused(ENAMETOOLONG) { _ = try stage.files.status(name) }
        try equal(stage.files.names(), ["a"], "names")
    },
    FileSystemRule("names of every byte but / and zero") { stage in
        let bytes = (1...255).filter { $0 != 47 && $0 != 46 }.map { UInt8($0) }
        for byte in bytes { try stage.files.create(Path(bytes: [byte]), [byte]).close() }
        try equal(stage.files.names(), bytes.map { Path(bytes: [$0]) }, "names")
        for byte in bytes { try equal(stage.files.contents(Path(bytes: [byte])), [byte], "bytes") }
    },
    FileSystemRule("names with line breaks, spaces, quotes, dots, dashes and bytes that are not UTF-8") { stage in
        let names: [Path] = [
            "new\nline", " ", "  two", "trailing ", ".hidden", "...", "..a", "-rf", "--", "quo\"te", "back\\slash",
            "tab\t", "*", "?", "$HOME", "a;b", "ä", "a\u{308}", "日本語", Path(bytes: [0xFF]),
            Path(bytes: [0xC3, 0x28, 0x80]), Path(bytes: [0xED, 0xA0, 0x80]), "con", "NUL", "a:b",
        ]
        for (index, name) in names.enumerated() { try stage.files.create(name, [UInt8(index)]).close() }
        try equal(stage.files.names(), names.sorted(), "names")
        for (index, name) in names.enumerated() { try equal(stage.files.contents(name), [UInt8(index)], "\(name)") }
    },
    FileSystemRule("names differ by case and by composition") { stage in
        for name: Path in ["a", "A", "\u{E4}", "a\u{308}"] { try stage.files.create(name, name.bytes).close() }
        try equal(stage.files.names().count, 4, "number of names")
        try equal(stage.files.contents("a\u{308}"), Path("a\u{308}").bytes, "bytes")
    },
    FileSystemRule("names that file systems with encryption use for themselves") { stage in
        let names: [Path] = [
            "gocryptfs.diriv", "gocryptfs.conf", "gocryptfs.longname.abc", "gocryptfs.longname.abc.name",
            ".latchkey", ".latchkey-volume", "latchkey.volume", "latchkey.longname.abc", ".fuse_hidden0000000100000001",
            "ECRYPTFS_FNEK_ENCRYPTED.FWabc", ".nfs000000000000000100000001", ".#lk#", "lost+found", ".Trash-0",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "c2VjcmV0LW5hbWU", "c2VjcmV0LW5hbWU=",
        ]
        for (index, name) in names.enumerated() { try stage.files.create(name, [UInt8(index)]).close() }
        try equal(stage.files.names(), names.sorted(), "names")
        for (index, name) in names.enumerated() { try equal(stage.files.contents(name), [UInt8(index)], "\(name)") }
        for name in names { try stage.files.unlink(name) }
        for name in names { try stage.files.makeDirectory(name) }
        for name in names { try stage.files.create(name / "below", [1]).close() }
        for name in names { try equal(stage.files.names(name), ["below"], "\(name)") }
    },
    FileSystemRule("no file of the file system's own is in a new directory") { stage in
        try stage.files.makeDirectory("d")
        try equal(stage.files.entries("d").map(\.name), [], "names")
        try stage.files.removeDirectory("d")
    },
]
