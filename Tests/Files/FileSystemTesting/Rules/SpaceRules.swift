import Glibc

/// Holes, preallocated space and the size of the file system.
let spaceRules: [FileSystemRule] = [
    FileSystemRule("fallocate extends a file with zeros") { stage in
        let file = try stage.files.create("a", [1, 2])
        try orRefused(EOPNOTSUPP) { try file.allocate(.extending, 0, 20_000) }
        try equal(file.status().size, 20_000, "size")
        try equal(bytes: file.contents(), [1, 2] + [UInt8](repeating: 0, count: 19_998), "bytes")
    },
    FileSystemRule("fallocate within a file changes nothing") { stage in
        let file = try stage.files.create("a", pattern(9000))
        try orRefused(EOPNOTSUPP) { try file.allocate(.extending, 100, 5000) }
        try equal(bytes: file.contents(), pattern(9000), "bytes")
    },
    FileSystemRule("fallocate with KEEP_SIZE keeps the size") { stage in
        let file = try stage.files.create("a", [1, 2])
        try orRefused(EOPNOTSUPP) { try file.allocate(.keepingSize, 0, 20_000) }
        try equal(file.contents(), [1, 2], "bytes")
        try file.write([3], at: 10_000)
        try equal(file.read(3, at: 9_998), [0, 0, 3], "bytes written into the space")
    },
    FileSystemRule("fallocate with PUNCH_HOLE makes zeros and keeps the size") { stage in
        let file = try stage.files.create("a", pattern(50_000))
        try orRefused(EOPNOTSUPP) { try file.allocate(.punchingHole, 5000, 20_001) }
        var wanted = pattern(50_000)
        wanted.replaceSubrange(5000..<25_001, with: [UInt8](repeating: 0, count: 20_001))
        try equal(bytes: file.contents(), wanted, "bytes")
        try file.synchronize()
        try file.dropPages()
        try equal(bytes: file.contents(), wanted, "bytes from the file system")
    },
    FileSystemRule("a hole across the end leaves the size") { stage in
        let file = try stage.files.create("a", pattern(10_000))
        try orRefused(EOPNOTSUPP) { try file.allocate(.punchingHole, 8000, 100_000) }
        try equal(
            bytes: file.contents(), Array(pattern(10_000)[..<8000]) + [UInt8](repeating: 0, count: 2000), "bytes")
    },
    FileSystemRule("fallocate with ZERO_RANGE makes zeros") { stage in
        let file = try stage.files.create("a", pattern(10_000))
        try orRefused(EOPNOTSUPP) { try file.allocate(.zeroing, 1000, 5000) }
        var wanted = pattern(10_000)
        wanted.replaceSubrange(1000..<6000, with: [UInt8](repeating: 0, count: 5000))
        try equal(bytes: file.contents(), wanted, "bytes")
    },
    FileSystemRule("fallocate with COLLAPSE_RANGE works or is refused, and is never ignored") { stage in
        let file = try stage.files.create("a", pattern(65_536 * 3))
        try orRefused(EOPNOTSUPP, EINVAL) { try file.allocate(.collapsing, 65_536, 65_536) }
        let all = pattern(65_536 * 3)
        try equal(bytes: file.contents(), Array(all[..<65_536]) + Array(all[131_072...]), "bytes")
    },
    FileSystemRule("fallocate of nothing or before the start is EINVAL") { stage in
        let file = try stage.files.create("a", [1])
        try refused(EINVAL, EOPNOTSUPP) { try file.allocate(.extending, 0, 0) }
        try refused(EINVAL, EOPNOTSUPP) { try file.allocate(.extending, -1, 10) }
    },
    FileSystemRule("fallocate through a descriptor for reading is EBADF") { stage in
        try stage.files.create("a", [1]).close()
        let reader = try stage.files.open("a", O_RDONLY)
        try refused(EBADF) { try reader.allocate(.extending, 0, 100) }
    },
    FileSystemRule("a hole of a large file takes less space than its size") { stage in
        let file = try stage.files.create("a")
        try file.write([1], at: 64 << 20)
        try file.synchronize()
        let blocks = try file.status().blocks
        try expect(blocks * 512 < 32 << 20, "a hole of 64 MiB takes \(blocks) blocks of 512 bytes")
    },
    FileSystemRule("SEEK_DATA and SEEK_HOLE find the data, at least all of it") { stage in
        let file = try stage.files.create("a")
        try file.write(pattern(4096), at: 1 << 20)
        try file.truncate(2 << 20)
        let data = try orRefused(EINVAL, EOPNOTSUPP) { try file.seekData(0) }
        try expect(data <= 1 << 20, "the data was found at \(data), behind its start")
        let hole = try file.seekHole(1 << 20)
        try expect(hole >= (1 << 20) + 4096 && hole <= 2 << 20, "the hole behind the data was found at \(hole)")
    },
    FileSystemRule("SEEK_HOLE of a file without holes is its end, behind the end is ENXIO") { stage in
        let file = try stage.files.create("a", pattern(10_000))
        let hole = try orRefused(EINVAL, EOPNOTSUPP) { try file.seekHole(0) }
        try equal(hole, 10_000, "hole")
        try equal(file.seekData(5000), 5000, "data")
        try refused(ENXIO) { _ = try file.seekData(10_000) }
        try refused(ENXIO) { _ = try file.seekHole(10_001) }
    },
    FileSystemRule("statvfs says a block size, a longest name of at least 143 bytes, and no more free than there is") {
        stage in
        let space = try stage.files.space()
        try expect(space.blockByteCount >= 512, "block size \(space.blockByteCount)")
        try expect(space.longestName >= 143, "longest name \(space.longestName)")
        try expect(space.free <= space.blocks, "\(space.free) free of \(space.blocks)")
    },
    FileSystemRule("st_blocks of a written file is not 0") { stage in
        let file = try stage.files.create("a", pattern(100_000))
        try file.synchronize()
        let blocks = try file.status().blocks
        try expect(blocks >= 100_000 / 512, "\(blocks) blocks")
    },
]
