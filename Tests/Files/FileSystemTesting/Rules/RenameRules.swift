import Glibc

/// Renaming, with and without something in the way.
let renameRules: [FileSystemRule] = [
    FileSystemRule("rename moves a file: same inode, same bytes, no old name") { stage in
        try stage.files.create("a", pattern(5000)).close()
        try stage.files.makeDirectory("d")
        let inode = try stage.files.status("a").inode
        try stage.files.rename("a", "d/b")
        try equal(stage.files.names(), ["d"], "names")
        try equal(stage.files.status("d/b").inode, inode, "inode")
        try equal(bytes: stage.files.contents("d/b"), pattern(5000), "bytes")
    },
    FileSystemRule("rename over a file replaces it") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.create("b", pattern(9000)).close()
        try stage.files.rename("a", "b")
        try equal(stage.files.names(), ["b"], "names")
        try equal(stage.files.contents("b"), [1], "bytes")
        try equal(stage.files.status("b").links, 1, "links")
    },
    FileSystemRule("rename over one of two names leaves the other") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.create("b", [2]).close()
        try stage.files.link("b", "c")
        try stage.files.rename("a", "b")
        try equal(stage.files.contents("c"), [2], "bytes")
        try equal(stage.files.status("c").links, 1, "links")
    },
    FileSystemRule("rename between two names of one file does nothing") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.link("a", "b")
        try stage.files.rename("a", "b")
        try equal(stage.files.names(), ["a", "b"], "names")
        try equal(stage.files.status("a").links, 2, "links")
    },
    FileSystemRule("rename to itself does nothing") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.makeDirectory("d")
        try stage.files.rename("a", "a")
        try stage.files.rename("d", "d")
        try equal(stage.files.contents("a"), [1], "bytes")
        try equal(stage.files.names(), ["a", "d"], "names")
    },
    FileSystemRule("rename of nothing is ENOENT, to nowhere ENOENT, below a file ENOTDIR") { stage in
        try stage.files.create("a").close()
        try refused(ENOENT) { try stage.files.rename("x", "y") }
        try refused(ENOENT) { try stage.files.rename("a", "x/y") }
        try refused(ENOTDIR) { try stage.files.rename("a", "a/y") }
        try equal(stage.files.names(), ["a"], "names")
    },
    FileSystemRule("rename moves a directory with everything in it") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.makeDirectory("d/e")
        try stage.files.create("d/e/a", [1, 2]).close()
        try stage.files.makeDirectory("f")
        try stage.files.rename("d", "f/g")
        try equal(stage.files.contents("f/g/e/a"), [1, 2], "bytes")
        try equal(stage.files.names(), ["f"], "names")
        let parent = try stage.files.status("f/g/..").inode
        try equal(parent, stage.files.status("f").inode, "inode of ..")
    },
    FileSystemRule("rename of a directory over an empty one replaces it, over a full one is ENOTEMPTY") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a", [1]).close()
        try stage.files.makeDirectory("empty")
        try stage.files.makeDirectory("full")
        try stage.files.create("full/b").close()
        try refused(ENOTEMPTY, EEXIST) { try stage.files.rename("d", "full") }
        try stage.files.rename("d", "empty")
        try equal(stage.files.contents("empty/a"), [1], "bytes")
        try equal(stage.files.names(), ["empty", "full"], "names")
    },
    FileSystemRule("rename of a file over a directory is EISDIR, of a directory over a file ENOTDIR") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try refused(EISDIR, ENOTEMPTY, EEXIST) { try stage.files.rename("a", "d") }
        try refused(ENOTDIR) { try stage.files.rename("d", "a") }
        try equal(stage.files.names(), ["a", "d"], "names")
    },
    FileSystemRule("rename of a directory into itself or below is EINVAL, over its parent ENOTEMPTY") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.makeDirectory("d/e")
        try refused(EINVAL) { try stage.files.rename("d", "d/f") }
        try refused(EINVAL) { try stage.files.rename("d", "d/e/f") }
        try refused(ENOTEMPTY, EEXIST) { try stage.files.rename("d/e", "d") }
        try equal(stage.files.names("d"), ["e"], "names")
    },
    FileSystemRule("rename moves a link itself") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.symlink("a", "l")
        try stage.files.create("b", [2]).close()
        try stage.files.rename("l", "b")
        try equal(stage.files.readLink("b"), "a", "target")
        try equal(stage.files.names(), ["a", "b"], "names")
    },
    FileSystemRule("RENAME_NOREPLACE refuses a name that is there with EEXIST, and moves otherwise") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.create("b", [2]).close()
        try stage.files.makeDirectory("d")
        try stage.files.symlink("nowhere", "l")
        for name: Path in ["b", "d", "l"] {
            try refused(EEXIST, EINVAL, ENOSYS) { try stage.files.rename("a", name, .refusing) }
        }
        try equal(stage.files.contents("b"), [2], "bytes")
        try orRefused(EINVAL, ENOSYS) { try stage.files.rename("a", "c", .refusing) }
        try equal(stage.files.contents("c"), [1], "bytes")
    },
    FileSystemRule("RENAME_EXCHANGE swaps two files") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.makeDirectory("d")
        try stage.files.create("d/b", pattern(8000)).close()
        let inodes = try (stage.files.status("a").inode, stage.files.status("d/b").inode)
        try orRefused(EINVAL, ENOSYS) { try stage.files.rename("a", "d/b", .exchanging) }
        try equal(bytes: stage.files.contents("a"), pattern(8000), "bytes of the first")
        try equal(stage.files.contents("d/b"), [1], "bytes of the second")
        try equal(stage.files.status("a").inode, inodes.1, "inode of the first")
        try equal(stage.files.status("d/b").inode, inodes.0, "inode of the second")
    },
    FileSystemRule("RENAME_EXCHANGE swaps a file and a directory, and needs both") { stage in
        try stage.files.create("a", [1]).close()
        try stage.files.makeDirectory("d")
        try stage.files.create("d/b", [2]).close()
        try orRefused(EINVAL, ENOSYS) { try stage.files.rename("a", "d", .exchanging) }
        try equal(stage.files.contents("d"), [1], "bytes of the file")
        try equal(stage.files.contents("a/b"), [2], "bytes below the directory")
        try refused(ENOENT) { try stage.files.rename("a", "x", .exchanging) }
    },
    FileSystemRule("a name that is replaced again and again always has one of its contents") { stage in
        try stage.files.create("a", pattern(3000, seed: 0)).close()
        for round in 1..<100 {
            try stage.files.create("new", pattern(3000, seed: round)).close()
            try stage.files.rename("new", "a")
            try equal(bytes: stage.files.contents("a"), pattern(3000, seed: round), "round \(round)")
        }
        try equal(stage.files.names(), ["a"], "names")
    },
    FileSystemRule("what is below a renamed directory is found at once, also by an open descriptor") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a", [1]).close()
        _ = try stage.files.status("d/a")
        let directory = try stage.files.open("d", O_RDONLY | O_DIRECTORY)
        try stage.files.rename("d", "e")
        try stage.files.makeDirectory("d")
        try refused(ENOENT) { _ = try stage.files.status("d/a") }
        try equal(directory.open("a", O_RDONLY).contents(), [1], "bytes from the descriptor")
        try equal(stage.files.contents("e/a"), [1], "bytes")
    },
]
