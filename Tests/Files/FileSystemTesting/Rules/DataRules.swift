import Glibc

/// Reading, writing, sizes and offsets.
let dataRules: [FileSystemRule] = [
    FileSystemRule("bytes come back at every length around a block") { stage in
        for count in [0, 1, 15, 16, 17, 4079, 4080, 4095, 4096, 4097, 8191, 8192, 8193, 65_535, 65_536, 65_537] {
            let file = try stage.files.open("a", O_RDWR | O_CREAT | O_TRUNC)
            try file.write(pattern(count), at: 0)
            try equal(file.status().size, Int64(count), "size")
            try file.synchronize()
            try file.dropPages()
            try equal(bytes: file.contents(), pattern(count), "\(count) bytes")
        }
    },
    FileSystemRule("bytes come back after the file was closed and opened again") { stage in
        try stage.files.create("a", pattern(1_000_003)).close()
        try equal(bytes: stage.files.contents("a"), pattern(1_000_003), "bytes")
    },
    FileSystemRule("overwriting in the middle changes these bytes alone") { stage in
        let file = try stage.files.create("a", pattern(50_000))
        var wanted = pattern(50_000)
        for (offset, count) in [(0, 1), (4095, 2), (4096, 4096), (12_287, 4098), (49_999, 1), (20_000, 10_000)] {
            let bytes = pattern(count, seed: offset)
            try file.write(bytes, at: Int64(offset))
            wanted.replaceSubrange(offset..<offset + count, with: bytes)
        }
        try equal(bytes: file.contents(), wanted, "through the cache")
        try file.synchronize()
        try file.dropPages()
        try equal(bytes: file.contents(), wanted, "from the file system")
    },
    FileSystemRule("read at the end gives nothing, and read across it what is there") { stage in
        let file = try stage.files.create("a", pattern(5000))
        try equal(file.read(10, at: 5000), [], "at the end")
        try equal(file.read(10, at: 1 << 40), [], "far behind the end")
        try equal(bytes: file.read(4096, at: 4990), Array(pattern(5000)[4990...]), "across the end")
    },
    FileSystemRule("a write of no bytes changes nothing") { stage in
        let file = try stage.files.create("a", [1])
        try file.write([], at: 100)
        try equal(file.status().size, 1, "size")
    },
    FileSystemRule("two descriptors see each other's writes at once") { stage in
        let one = try stage.files.create("a")
        let other = try stage.files.open("a", O_RDWR)
        for round in 0..<40 {
            try one.write(pattern(1000, seed: round), at: Int64(round * 1000))
            try equal(bytes: other.read(1000, at: Int64(round * 1000)), pattern(1000, seed: round), "round \(round)")
            try other.write([UInt8(round)], at: 0)
            try equal(one.read(1), [UInt8(round)], "first byte")
        }
    },
    FileSystemRule("read and write move the offset, pread and pwrite do not") { stage in
        let file = try stage.files.create("a")
        try file.writeOn([1, 2, 3, 4])
        try equal(file.seek(0, SEEK_CUR), 4, "offset")
        try file.write([9], at: 0)
        _ = try file.read(2, at: 1)
        try equal(file.seek(0, SEEK_CUR), 4, "offset")
        try file.seek(1)
        try equal(file.readOn(2), [2, 3], "bytes")
        try equal(file.seek(0, SEEK_CUR), 3, "offset")
    },
    FileSystemRule("lseek: from start, here and end; before the start is EINVAL") { stage in
        let file = try stage.files.create("a", pattern(100))
        try equal(file.seek(10, SEEK_SET), 10, "SEEK_SET")
        try equal(file.seek(-4, SEEK_CUR), 6, "SEEK_CUR")
        try equal(file.seek(-1, SEEK_END), 99, "SEEK_END")
        try equal(file.seek(1000, SEEK_END), 1100, "behind the end")
        try equal(file.status().size, 100, "size")
        try refused(EINVAL) { try file.seek(-1) }
    },
    FileSystemRule("writing behind the end leaves zeros in between") { stage in
        let file = try stage.files.create("a", [1, 2, 3])
        try file.write([4], at: 300_000)
        try equal(file.status().size, 300_001, "size")
        try file.synchronize()
        try file.dropPages()
        let wanted = [1, 2, 3] + [UInt8](repeating: 0, count: 299_997) + [4]
        try equal(bytes: file.contents(), wanted, "bytes")
    },
    FileSystemRule("a file of more than 4 GiB, nearly all of it a hole") { stage in
        let file = try stage.files.create("a", [1])
        let far: Int64 = (5 << 30) + 12_345
        try file.write([2, 3], at: far)
        try equal(file.status().size, far + 2, "size")
        try equal(file.read(5, at: far - 2), [0, 0, 2, 3], "bytes at the end")
        try equal(file.read(2, at: 0), [1, 0], "bytes at the start")
        try equal(file.read(3, at: 3 << 30), [0, 0, 0], "bytes of the hole")
        try file.truncate(10)
        try equal(file.contents(), [1] + [UInt8](repeating: 0, count: 9), "bytes after truncation")
    },
    FileSystemRule("ftruncate shortens; what comes back when it grows again is zeros") { stage in
        let file = try stage.files.create("a", pattern(10_000))
        try file.truncate(4100)
        try equal(bytes: file.contents(), Array(pattern(10_000)[..<4100]), "shortened")
        try file.truncate(9000)
        try equal(
            bytes: file.contents(), Array(pattern(10_000)[..<4100]) + [UInt8](repeating: 0, count: 4900), "extended")
        try file.synchronize()
        try file.dropPages()
        try equal(
            bytes: file.contents(), Array(pattern(10_000)[..<4100]) + [UInt8](repeating: 0, count: 4900), "dropped")
    },
    FileSystemRule("truncate by path is seen by an open descriptor") { stage in
        let file = try stage.files.create("a", pattern(10_000))
        _ = try file.contents()
        try stage.files.truncate("a", 7)
        try equal(bytes: file.contents(), Array(pattern(10_000)[..<7]), "bytes")
        try stage.files.truncate("a", 4097)
        try equal(file.status().size, 4097, "size")
    },
    FileSystemRule("truncate to a negative size is EINVAL, of a directory EISDIR, of nothing ENOENT") { stage in
        let file = try stage.files.create("a", [1])
        try stage.files.makeDirectory("d")
        try refused(EINVAL) { try file.truncate(-1) }
        try refused(EINVAL) { try stage.files.truncate("a", -1) }
        try refused(EISDIR) { try stage.files.truncate("d", 0) }
        try refused(ENOENT) { try stage.files.truncate("missing", 0) }
        try equal(stage.files.contents("a"), [1], "bytes")
    },
    FileSystemRule("truncate to its own size keeps the bytes") { stage in
        let file = try stage.files.create("a", pattern(5000))
        try file.truncate(5000)
        try equal(bytes: file.contents(), pattern(5000), "bytes")
    },
    FileSystemRule("fsync and fdatasync work on a file, also one opened for reading") { stage in
        let file = try stage.files.create("a", [1])
        try file.synchronize()
        try file.synchronizeData()
        try stage.files.open("a", O_RDONLY).synchronize()
    },
    FileSystemRule("fsync works on a directory") { stage in
        try stage.files.makeDirectory("d")
        try stage.files.create("d/a").close()
        try stage.files.open("d", O_RDONLY | O_DIRECTORY).synchronize()
        try OpenFile(stage.files.path, O_RDONLY | O_DIRECTORY).synchronize()
    },
    FileSystemRule("sendfile copies from a file and to a file") { stage in
        let from = try stage.files.create("a", pattern(20_000))
        let to = try stage.files.create("b")
        var sent = 0
        while sent < 15_000 {
            let count = try to.send(15_000 - sent, from: from, Int64(5000 + sent))
            try expect(count > 0, "sendfile ended after \(sent) bytes")
            sent += count
        }
        try equal(bytes: to.contents(), Array(pattern(20_000)[5000...]), "bytes")
    },
    FileSystemRule("copy_file_range copies, between files and within one") { stage in
        let from = try stage.files.create("a", pattern(20_000))
        let to = try stage.files.create("b", [7])
        let copied = try orRefused(EOPNOTSUPP, EXDEV, ENOSYS, EINVAL) {
            try to.copy(10_000, from: from, 3000, to: 1)
        }
        try expect(copied > 0 && copied <= 10_000, "copied \(copied)")
        try equal(bytes: to.contents(), [7] + Array(pattern(20_000)[3000..<3000 + copied]), "bytes")
        let moved = try from.copy(1000, from: from, 0, to: 10_000)
        try equal(bytes: from.read(moved, at: 10_000), Array(pattern(20_000)[..<moved]), "within one file")
    },
    FileSystemRule("copy_file_range behind the end copies nothing") { stage in
        let from = try stage.files.create("a", [1])
        let to = try stage.files.create("b")
        let copied = try orRefused(EOPNOTSUPP, EXDEV, ENOSYS, EINVAL) { try to.copy(10, from: from, 100, to: 0) }
        try equal(copied, 0, "bytes")
        try equal(to.status().size, 0, "size")
    },
    FileSystemRule("two processes that append interleave whole records") { stage in
        try stage.files.create("a").close()
        let records = 400
        let other = try OtherProcess.start(stage, ["append", (stage.files.path / "a").text, "2", "\(records)"])
        let file = try stage.files.open("a", O_WRONLY | O_APPEND)
        for number in 0..<records { try file.writeOn(AppendedRecord.bytes(writer: 1, number: number)) }
        try other.wait()
        let bytes = try stage.files.contents("a")
        try equal(bytes.count, 2 * records * AppendedRecord.byteCount, "size")
        var next = [1: 0, 2: 0]
        for start in stride(from: 0, to: bytes.count, by: AppendedRecord.byteCount) {
            let writer = Int(bytes[start])
            guard let number = next[writer] else { throw RuleMismatch("no record begins at byte \(start)") }
            let record = Array(bytes[start..<start + AppendedRecord.byteCount])
            try equal(bytes: record, AppendedRecord.bytes(writer: writer, number: number), "record at \(start)")
            next[writer] = number + 1
        }
        try equal(next, [1: records, 2: records], "records of each writer")
    },
]
