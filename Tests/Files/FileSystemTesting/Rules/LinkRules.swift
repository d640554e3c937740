import Glibc

/// Hard and symbolic links.
let linkRules: [FileSystemRule] = [
    FileSystemRule("link gives a file a second name: one inode, one content, two links") { stage in
        let file = try stage.files.create("a", [1])
        try stage.files.link("a", "b")
        try equal(stage.files.status("a").inode, stage.files.status("b").inode, "inode")
        try equal(stage.files.status("a").links, 2, "links")
        try equal(file.status().links, 2, "links of the descriptor")
        try stage.files.open("b").write([2, 3], at: 1)
        try equal(file.contents(), [1, 2, 3], "bytes through the first name")
        try equal(stage.files.contents("a"), [1, 2, 3], "bytes")
    },
    FileSystemRule("unlink of one of two names leaves the other") { stage in
        try stage.files.create("a", pattern(5000)).close()
        try stage.files.link("a", "b")
        try stage.files.unlink("a")
        try equal(stage.files.status("b").links, 1, "links")
        try equal(bytes: stage.files.contents("b"), pattern(5000), "bytes")
    },
    FileSystemRule("100 names of one file are counted up and down") { stage in
        try stage.files.create("0", [5]).close()
        try stage.files.makeDirectory("d")
        for number in 1..<100 { try stage.files.link("0", "d/\(number)") }
        try equal(stage.files.status("0").links, 100, "links")
        for number in 1..<60 { try stage.files.unlink("d/\(number)") }
        try equal(stage.files.status("d/99").links, 41, "links")
        try equal(stage.files.contents("d/77"), [5], "bytes")
    },
    FileSystemRule("mode and times belong to the file, not to the name") { stage in
        try stage.files.create("a").close()
        try stage.files.link("a", "b")
        try stage.files.changeMode("a", 0o601)
        try stage.files.setTimes("b", accessed: 5_000_000_001, modified: 6_000_000_002)
        try equal(stage.files.status("b").mode, 0o601, "mode")
        try equal(stage.files.status("a").modified, 6_000_000_002, "time")
        try stage.files.truncate("a", 3000)
        try equal(stage.files.status("b").size, 3000, "size")
    },
    FileSystemRule("link over a name is EEXIST, from nothing ENOENT, of a directory EPERM") { stage in
        try stage.files.create("a").close()
        try stage.files.create("b").close()
        try stage.files.makeDirectory("d")
        try refused(EEXIST) { try stage.files.link("a", "b") }
        try refused(EEXIST) { try stage.files.link("a", "d") }
        try refused(ENOENT) { try stage.files.link("x", "y") }
        try refused(ENOENT) { try stage.files.link("a", "x/y") }
        try refused(EPERM) { try stage.files.link("d", "e") }
        try equal(stage.files.status("a").links, 1, "links")
    },
    FileSystemRule("link of a symbolic link names the link itself") { stage in
        try stage.files.symlink("target", "l")
        try orRefused(EPERM, EOPNOTSUPP) { try stage.files.link("l", "m") }
        try equal(stage.files.status("m").kind, .link, "kind")
        try equal(stage.files.readLink("m"), "target", "target")
        try equal(stage.files.status("l").links, 2, "links")
    },
    FileSystemRule("symlink keeps its target byte by byte, also one that leads nowhere") { stage in
        let targets: [Path] = [
            "a", "/", "../..", "no where", "/absolute/./path//with/odd/", "-dash", "line\nbreak",
            Path(bytes: [0xFF, 0xFE, 0x80, 1]),
        ]
        for (index, target) in targets.enumerated() {
            try stage.files.symlink(target, "l\(index)")
            try equal(stage.files.readLink("l\(index)"), target, "target")
            try equal(stage.files.status("l\(index)").size, Int64(target.bytes.count), "size")
            try equal(stage.files.status("l\(index)").kind, .link, "kind")
        }
    },
    FileSystemRule("symlink targets of up to 3,000 bytes") { stage in
        for count in [59, 60, 100, 255, 256, 1000, 1024, 2000, 3000] {
            let target = Path(String(repeating: "t/", count: count / 2) + (count % 2 == 1 ? "u" : ""))
            try stage.files.symlink(target, "l\(count)")
            try equal(stage.files.readLink("l\(count)").bytes, target.bytes, "target of \(count) bytes")
            try equal(stage.files.status("l\(count)").size, Int64(count), "size")
        }
    },
    FileSystemRule("a target of more than 4,095 bytes is ENAMETOOLONG, an empty one ENOENT") { stage in
        try refused(ENAMETOOLONG) { try stage.files.symlink(Path(String(repeating: "t", count: 4096)), "l") }
        try refused(ENOENT) { try stage.files.symlink("", "l") }
    },
    FileSystemRule("symlink over a name is EEXIST") { stage in
        try stage.files.create("a").close()
        try stage.files.symlink("x", "l")
        try refused(EEXIST) { try stage.files.symlink("y", "a") }
        try refused(EEXIST) { try stage.files.symlink("y", "l") }
        try equal(stage.files.readLink("l"), "x", "target")
    },
    FileSystemRule("links are followed: relative, absolute, through directories and chains") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a", [4]).close()
        try stage.files.symlink("a", "d/relative")
        try stage.files.symlink(stage.files.path / "d/a", "absolute")
        try stage.files.symlink("d", "way")
        try stage.files.symlink("way/relative", "chain")
        for name: Path in ["d/relative", "absolute", "way/a", "chain"] {
            try equal(stage.files.contents(name), [4], "bytes through \(name)")
            try equal(stage.files.status(name, following: true).kind, .regular, "kind")
        }
    },
    FileSystemRule("a link to itself is ELOOP, a dangling one ENOENT") { stage in
        try stage.files.symlink("l", "l")
        try stage.files.symlink("nowhere", "m")
        try refused(ELOOP) { try stage.files.open("l", O_RDONLY) }
        try refused(ENOENT) { try stage.files.open("m", O_RDONLY) }
        try refused(ENOENT) { _ = try stage.files.status("m", following: true) }
    },
    FileSystemRule("readlink of a file or directory is EINVAL, of nothing ENOENT") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try refused(EINVAL) { _ = try stage.files.readLink("a") }
        try refused(EINVAL) { _ = try stage.files.readLink("d") }
        try refused(ENOENT) { _ = try stage.files.readLink("x") }
    },
    FileSystemRule("owner and times of a link are its own") { stage in
        try stage.files.create("a").close()
        try stage.files.symlink("a", "l")
        let target = try stage.files.status("a")
        try stage.files.setTimes("l", accessed: 3_000_000_000, modified: 4_000_000_000, following: false)
        try equal(stage.files.status("l").modified, 4_000_000_000, "time of the link")
        try equal(stage.files.status("a").modified, target.modified, "time of the target")
        try needRoot()
        try stage.files.changeOwner("l", 12, 13, following: false)
        try equal(stage.files.status("l").owner, 12, "owner of the link")
        try equal(stage.files.status("a").owner, target.owner, "owner of the target")
    },
]
