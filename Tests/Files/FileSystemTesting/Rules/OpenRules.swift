import Glibc

/// The flags of `open`, and the life of a file without a name.
let openRules: [FileSystemRule] = [
    FileSystemRule("O_CREAT makes an empty regular file") { stage in
        try stage.files.open("a", O_WRONLY | O_CREAT, mode: 0o640).close()
        let status = try stage.files.status("a")
        try equal(status.kind, .regular, "kind")
        try equal(status.size, 0, "size")
    },
    FileSystemRule("O_CREAT of a file that is there opens it, with its bytes and its mode") { stage in
        try stage.files.create("a", [1, 2, 3], mode: 0o600).close()
        let file = try stage.files.open("a", O_RDWR | O_CREAT, mode: 0o666)
        try equal(file.contents(), [1, 2, 3], "bytes")
        try equal(file.status().mode, 0o600, "mode")
    },
    FileSystemRule("open without O_CREAT of a missing name is ENOENT") { stage in
        try refused(ENOENT) { try stage.files.open("a") }
    },
    FileSystemRule("O_EXCL refuses a file, a directory and a dangling link with EEXIST") { stage in
        try stage.files.create("file").close()
        try stage.files.makeDirectory("directory")
        try stage.files.symlink("nowhere", "link")
        for name: Path in ["file", "directory", "link"] {
            try refused(EEXIST) { try stage.files.open(name, O_RDWR | O_CREAT | O_EXCL) }
        }
        try refused(ENOENT) { _ = try stage.files.status("nowhere") }
    },
    FileSystemRule("O_CREAT through a dangling link makes the target") { stage in
        try stage.files.symlink("target", "link")
        try stage.files.open("link", O_WRONLY | O_CREAT).close()
        try equal(stage.files.status("target").kind, .regular, "kind of the target")
    },
    FileSystemRule("O_TRUNC empties a file, also one that is open elsewhere") { stage in
        let reader = try stage.files.create("a", pattern(10_000))
        try stage.files.open("a", O_WRONLY | O_TRUNC).close()
        try equal(stage.files.status("a").size, 0, "size")
        try equal(reader.contents(), [], "bytes of the other descriptor")
    },
    FileSystemRule("O_TRUNC keeps the file's inode and mode") { stage in
        try stage.files.create("a", [1], mode: 0o600).close()
        let before = try stage.files.status("a")
        try stage.files.open("a", O_WRONLY | O_CREAT | O_TRUNC, mode: 0o777).close()
        try equal(stage.files.status("a").inode, before.inode, "inode")
        try equal(stage.files.status("a").mode, before.mode, "mode")
    },
    FileSystemRule("O_APPEND writes at the end, wherever the offset is") { stage in
        try stage.files.create("a", [1, 2, 3]).close()
        let file = try stage.files.open("a", O_RDWR | O_APPEND)
        try file.seek(0)
        try file.writeOn([4, 5])
        try equal(file.seek(0, SEEK_CUR), 5, "offset behind the write")
        try equal(stage.files.contents("a"), [1, 2, 3, 4, 5], "bytes")
    },
    FileSystemRule("two O_APPEND descriptors do not overwrite each other") { stage in
        try stage.files.create("a").close()
        let one = try stage.files.open("a", O_WRONLY | O_APPEND)
        let other = try stage.files.open("a", O_WRONLY | O_APPEND)
        for round: UInt8 in 0..<50 {
            try one.writeOn([round, 1])
            try other.writeOn([round, 2])
        }
        let wanted: [UInt8] = (0..<50).flatMap { [UInt8($0), 1, UInt8($0), 2] }
        try equal(bytes: stage.files.contents("a"), wanted, "bytes")
    },
    FileSystemRule("O_DIRECTORY refuses a file with ENOTDIR and opens a directory") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try refused(ENOTDIR) { try stage.files.open("a", O_RDONLY | O_DIRECTORY) }
        try equal(stage.files.open("d", O_RDONLY | O_DIRECTORY).status().kind, .directory, "kind")
    },
    FileSystemRule("a directory is not opened for writing: EISDIR") { stage in
        try stage.files.makeDirectory("d")
        try refused(EISDIR) { try stage.files.open("d", O_WRONLY) }
        try refused(EISDIR) { try stage.files.open("d", O_RDWR) }
        try refused(EISDIR) { try stage.files.open("d", O_RDONLY | O_CREAT) }
    },
    FileSystemRule("reading a directory as a file is EISDIR") { stage in
        try stage.files.makeDirectory("d")
        let directory = try stage.files.open("d", O_RDONLY)
        try refused(EISDIR) { _ = try directory.readOn(10) }
    },
    FileSystemRule("O_NOFOLLOW refuses a link with ELOOP, and opens through links before the last name") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a", [7]).close()
        try stage.files.symlink("d/a", "link")
        try stage.files.symlink("d", "way")
        try refused(ELOOP) { try stage.files.open("link", O_RDONLY | O_NOFOLLOW) }
        try equal(stage.files.open("way/a", O_RDONLY | O_NOFOLLOW).contents(), [7], "bytes")
    },
    FileSystemRule("O_PATH reads nothing, and openat starts from it") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a", [7]).close()
        let directory = try stage.files.open("d", OpenFile.pathOnly)
        try refused(EBADF) { _ = try directory.readOn(1) }
        try equal(directory.open("a", O_RDONLY).contents(), [7], "bytes")
    },
    FileSystemRule("O_TMPFILE makes a file without a name, which can be named later") { stage in
        let file = try orRefused(EOPNOTSUPP, EISDIR) {
            try OpenFile(stage.files.path, O_RDWR | OpenFile.unnamed, mode: 0o600)
        }
        try file.write(pattern(9000), at: 0)
        try equal(stage.files.names(), [], "names")
        try equal(file.status().links, 0, "links")
        try orRefused(EOPNOTSUPP, ENOENT) { try file.link(as: stage.files.path / "a") }
        try file.close()
        try equal(bytes: stage.files.contents("a"), pattern(9000), "bytes of the named file")
        try equal(stage.files.status("a").links, 1, "links of the named file")
    },
    FileSystemRule("O_TMPFILE with O_EXCL stays without a name") { stage in
        let file = try orRefused(EOPNOTSUPP, EISDIR) {
            try OpenFile(stage.files.path, O_RDWR | OpenFile.unnamed | O_EXCL, mode: 0o600)
        }
        try file.write([1], at: 0)
        try refused(ENOENT) { try file.link(as: stage.files.path / "a") }
        try equal(file.contents(), [1], "bytes")
    },
    FileSystemRule("an open file stays usable after unlink, and loses its last link") { stage in
        let file = try stage.files.create("a", pattern(5000))
        try stage.files.unlink("a")
        try refused(ENOENT) { _ = try stage.files.status("a") }
        try equal(stage.files.names(), [], "names")
        try equal(bytes: file.contents(), pattern(5000), "bytes")
        try file.write([9, 9], at: 100_000)
        try file.truncate(50_000)
        try file.synchronize()
        try file.changeMode(0o600)
        try file.setTimes(accessed: 1_000, modified: 2_000)
        let status = try file.status()
        try equal(status.size, 50_000, "size")
        try equal(status.links, 0, "links")
        try equal(status.mode, 0o600, "mode")
        try equal(status.modified, 2_000, "time")
    },
    FileSystemRule("a removed name is free for another file while the old one is open") { stage in
        let old = try stage.files.create("a", [1])
        try stage.files.unlink("a")
        let new = try stage.files.create("a", [2])
        try old.write([3], at: 1)
        try equal(old.contents(), [1, 3], "old bytes")
        try equal(new.contents(), [2], "new bytes")
        try expect(try old.status().inode != new.status().inode, "both have the same inode")
    },
    FileSystemRule("a file that is open when another one is renamed over it keeps its bytes") { stage in
        let old = try stage.files.create("a", pattern(70_000))
        try stage.files.create("b", [2]).close()
        try stage.files.rename("b", "a")
        try equal(bytes: old.contents(), pattern(70_000), "bytes")
        try equal(old.status().links, 0, "links")
        try equal(stage.files.contents("a"), [2], "bytes of the new file")
    },
    FileSystemRule("an open file is renamed without harm") { stage in
        let file = try stage.files.create("a", [1])
        try stage.files.makeDirectory("d")
        try stage.files.rename("a", "d/b")
        try file.write([2], at: 1)
        try file.synchronize()
        try equal(stage.files.contents("d/b"), [1, 2], "bytes")
    },
    FileSystemRule("a descriptor for reading does not write, and the reverse: EBADF") { stage in
        try stage.files.create("a", [1]).close()
        let reader = try stage.files.open("a", O_RDONLY)
        let writer = try stage.files.open("a", O_WRONLY)
        try refused(EBADF) { try reader.write([1], at: 0) }
        try refused(EBADF) { _ = try writer.read(1) }
        try refused(EINVAL) { try reader.truncate(0) }
    },
    FileSystemRule("a write-only descriptor changes part of a block") { stage in
        try stage.files.create("a", pattern(9000)).close()
        let writer = try stage.files.open("a", O_WRONLY)
        try writer.write([1, 2, 3], at: 4095)
        try writer.close()
        var wanted = pattern(9000)
        wanted.replaceSubrange(4095..<4098, with: [1, 2, 3])
        try equal(bytes: stage.files.contents("a"), wanted, "bytes")
    },
    FileSystemRule("O_RDONLY with a mode without reading still works for the creator") { stage in
        let file = try stage.files.open("a", O_RDWR | O_CREAT | O_EXCL, mode: 0)
        try file.write([1, 2], at: 0)
        try equal(file.contents(), [1, 2], "bytes")
        try equal(stage.files.status("a").mode, 0, "mode")
    },
    FileSystemRule("O_SYNC and O_DSYNC write") { stage in
        for flag in [O_SYNC, O_DSYNC] {
            let file = try stage.files.open("a", O_RDWR | O_CREAT | O_TRUNC | flag)
            try file.write(pattern(6000, seed: Int(flag)), at: 0)
            try equal(bytes: stage.files.contents("a"), pattern(6000, seed: Int(flag)), "bytes")
        }
    },
    FileSystemRule("an empty name is ENOENT, and a file as a directory ENOTDIR") { stage in
        try stage.files.create("a").close()
        try refused(ENOENT) { _ = try OpenFile("", O_RDONLY) }
        try refused(ENOTDIR) { try stage.files.open("a/b", O_RDONLY) }
        try refused(ENOTDIR) { try stage.files.open("a/b", O_RDWR | O_CREAT) }
        try refused(ENOTDIR) { try stage.files.open("a/", O_RDONLY) }
    },
]
