import Glibc

/// Memory that is mapped to a file.
let mapRules: [FileSystemRule] = [
    FileSystemRule("a mapping reads what was written") { stage in
        let file = try stage.files.create("a", pattern(10_000))
        try file.withMap(0, 10_000) { try equal(bytes: Array($0), pattern(10_000), "mapped bytes") }
    },
    FileSystemRule("a shared mapping's writes are read back while it is there, and afterwards") { stage in
        let file = try stage.files.create("a", pattern(20_000))
        var wanted = pattern(20_000)
        try file.withMap(0, 20_000) { memory in
            for index in 4000..<13_000 {
                memory[index] = UInt8(truncatingIfNeeded: index)
                wanted[index] = UInt8(truncatingIfNeeded: index)
            }
            try equal(bytes: file.contents(), wanted, "while mapped")
        }
        try equal(bytes: file.contents(), wanted, "after munmap")
        try file.synchronize()
        try file.dropPages()
        try equal(bytes: file.contents(), wanted, "from the file system")
    },
    FileSystemRule("a shared mapping outlives its descriptor, and the bytes are there after both") { stage in
        let file = try stage.files.create("a", pattern(8192))
        try file.withMap(0, 8192) { memory in
            try file.close()
            memory[5000] = 77
        }
        try equal(stage.files.contents("a")[5000], 77, "byte")
    },
    FileSystemRule("msync writes a mapping") { stage in
        let file = try stage.files.create("a", pattern(8192))
        try file.withMap(0, 8192, synchronizing: true) { $0[100] = 200 }
        try file.dropPages()
        try equal(file.read(1, at: 100), [200], "byte")
    },
    FileSystemRule("a mapping sees later writes, and a write sees the mapping's") { stage in
        let file = try stage.files.create("a", pattern(8192))
        try file.withMap(0, 8192) { memory in
            try file.write([1, 2, 3], at: 4000)
            try equal(Array(memory[4000..<4003]), [1, 2, 3], "mapped bytes")
            memory[4001] = 9
            try equal(file.read(3, at: 4000), [1, 9, 3], "read bytes")
        }
    },
    FileSystemRule("a mapping of a file that is unlinked stays usable") { stage in
        let file = try stage.files.create("a", pattern(8192))
        try file.withMap(0, 8192) { memory in
            try stage.files.unlink("a")
            memory[8191] = 1
            try equal(file.read(1, at: 8191), [1], "byte")
        }
    },
    FileSystemRule("two mappings of one file share their bytes") { stage in
        let file = try stage.files.create("a", pattern(8192))
        let other = try stage.files.open("a")
        try file.withMap(0, 8192) { one in
            try other.withMap(4096, 4096) { two in
                one[5000] = 3
                try equal(two[5000 - 4096], 3, "byte of the other mapping")
            }
        }
    },
    FileSystemRule("bytes behind the end in the last page of a mapping do not reach the file") { stage in
        let file = try stage.files.create("a", pattern(5000))
        try file.withMap(0, 5000) { memory in
            let page = UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: 8192)
            try equal(page[5000], 0, "byte behind the end")
            page[4999] = 1
            page[5000] = 99
        }
        try file.synchronize()
        try equal(file.status().size, 5000, "size")
        try file.truncate(5002)
        // tmpfs shows the byte once the file is extended; file systems on disks have cleared it.
        let found = try file.read(10, at: 4999)
        try expect([[1, 0, 0], [1, 99, 0]].contains(found), "bytes after the file was extended: \(found)")
    },
    FileSystemRule("a private mapping's writes do not reach the file") { stage in
        let file = try stage.files.create("a", pattern(8192))
        try file.withMap(0, 8192, shared: false) { memory in
            memory[10] = 255
            try equal(memory[10], 255, "mapped byte")
        }
        try file.synchronize()
        try equal(bytes: file.contents(), pattern(8192), "bytes")
    },
    FileSystemRule("a mapping grows with its file") { stage in
        let file = try stage.files.create("a", pattern(100))
        try file.withMap(0, 65_536) { memory in
            try file.truncate(65_536)
            memory[65_535] = 5
            memory[4096] = 6
        }
        try equal(file.read(1, at: 65_535), [5], "last byte")
        try equal(file.read(1, at: 4096), [6], "byte of the second page")
    },
    FileSystemRule("a shared writable mapping of a descriptor for reading is EACCES") { stage in
        try stage.files.create("a", pattern(100)).close()
        let reader = try stage.files.open("a", O_RDONLY)
        try refused(EACCES) { try reader.withMap(0, 100) { _ in } }
    },
    FileSystemRule("two processes share a mapping") { stage in
        let file = try stage.files.create("a", [UInt8](repeating: 0, count: 8192))
        try file.withMap(0, 8192) { memory in
            memory[1] = 41
            try OtherProcess.start(stage, ["map-increment", (stage.files.path / "a").text]).wait()
            try equal(memory[1], 42, "byte that the other process changed")
        }
        try equal(stage.files.contents("a")[1], 42, "byte of the file")
    },
]
