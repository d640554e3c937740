import Glibc

/// Reading directories.
let listingRules: [FileSystemRule] = [
    FileSystemRule("readdir tells . and .. and each name once") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try stage.files.symlink("x", "l")
        var names: [Path] = []
        let reader = try stage.files.reader()
        while let entry = try reader.next() { names.append(entry.name) }
        try equal(names.sorted(), [".", "..", "a", "d", "l"], "names")
    },
    FileSystemRule("readdir's inodes are those of stat") { stage in
        try stage.files.create("a").close()
        try stage.files.makeDirectory("d")
        try stage.files.symlink("x", "l")
        for entry in try stage.files.entries() {
            try equal(entry.inode, stage.files.status(entry.name).inode, "inode of \(entry.name)")
        }
    },
    FileSystemRule("a directory of 5,000 entries lists each once") { stage in
        try stage.files.makeDirectory("d")
        let names = (0..<5000).map { Path("entry number \($0)") }
        for name in names { try stage.files.create("d" / name).close() }
        let found = try stage.files.names("d")
        try expect(found == names.sorted(), "\(found.count) entries, \(Set(found).count) of them different")
        for name in names { try stage.files.unlink("d" / name) }
        try equal(stage.files.names("d"), [], "names after all were removed")
    },
    FileSystemRule("names that are removed while the directory is read hide no others") { stage in
        try stage.files.makeDirectory("d")
        let names = (0..<1000).map { Path("n\($0)") }
        for name in names { try stage.files.create("d" / name).close() }
        let reader = try stage.files.reader("d")
        var seen: [Path] = []
        // As rm -r does it: each name is removed as soon as it was told.
        while let entry = try reader.next() {
            guard entry.name != "." && entry.name != ".." else { continue }
            seen.append(entry.name)
            try stage.files.unlink("d" / entry.name)
        }
        try expect(seen.sorted() == names.sorted(), "told \(seen.count), \(Set(seen).count) of them different")
        try equal(stage.files.names("d"), [], "names that are left")
    },
    FileSystemRule("names that stay are told once while others come and go") { stage in
        try stage.files.makeDirectory("d")
        let staying = (0..<300).map { Path("stays\($0)") }
        for name in staying { try stage.files.create("d" / name).close() }
        for number in 0..<300 { try stage.files.create("d/goes\(number)").close() }
        let reader = try stage.files.reader("d")
        var seen: [Path] = []
        var told = 0
        while let entry = try reader.next() {
            told += 1
            if entry.name.bytes.starts(with: Array("stays".utf8)) { seen.append(entry.name) }
            if told <= 300 {
                try stage.files.unlink("d/goes\(told - 1)")
                try stage.files.create("d/comes\(told)").close()
            }
            try expect(told < 10_000, "the directory does not end")
        }
        try expect(
            seen.sorted() == staying.sorted(),
            "of 300 names that stayed \(seen.count) were told, \(Set(seen).count) different")
    },
    FileSystemRule("telldir and seekdir go back to an entry") { stage in
        for number in 0..<200 { try stage.files.create("n\(number)").close() }
        let reader = try stage.files.reader()
        for _ in 0..<50 { _ = try reader.next() }
        let position = reader.position
        var rest: [Path] = []
        while let entry = try reader.next() { rest.append(entry.name) }
        try equal(rest.count, 152, "entries behind the first 50")
        reader.seek(position)
        var again: [Path] = []
        while let entry = try reader.next() { again.append(entry.name) }
        try equal(again, rest, "entries after seekdir")
    },
    FileSystemRule("seekdir to a place still works after other names were removed") { stage in
        for number in 0..<200 { try stage.files.create("n\(number)").close() }
        let reader = try stage.files.reader()
        for _ in 0..<50 { _ = try reader.next() }
        let position = reader.position
        var rest: [Path] = []
        while let entry = try reader.next() { rest.append(entry.name) }
        for name in rest.suffix(20) { try stage.files.unlink(name) }
        reader.seek(position)
        var again: [Path] = []
        while let entry = try reader.next() { again.append(entry.name) }
        try equal(again, rest.dropLast(20), "entries after seekdir")
    },
    FileSystemRule("rewinddir sees names that came since") { stage in
        try stage.files.create("a").close()
        let reader = try stage.files.reader()
        while try reader.next() != nil {}
        try stage.files.create("b").close()
        reader.rewind()
        var names: [Path] = []
        while let entry = try reader.next() { names.append(entry.name) }
        try equal(names.sorted(), [".", "..", "a", "b"], "names")
    },
    FileSystemRule("opendir of a file is ENOTDIR, of nothing ENOENT") { stage in
        try stage.files.create("a").close()
        try refused(ENOTDIR) { _ = try stage.files.reader("a") }
        try refused(ENOENT) { _ = try stage.files.reader("x") }
    },
]
