import Glibc

/// Extended attributes of users.
let attributeRules: [FileSystemRule] = [
    FileSystemRule("attributes are set, read, listed and removed") { stage in
        let files = stage.files
        try files.create("a").close()
        try orRefused(EOPNOTSUPP) { try files.setAttribute("a", "user.one", [1, 2, 3]) }
        try files.setAttribute("a", "user.two", [])
        try equal(files.attribute("a", "user.one"), [1, 2, 3], "value")
        try equal(files.attribute("a", "user.two"), [], "empty value")
        let names = try files.attributes("a").filter { $0.hasPrefix("user.") && $0 != "user.latchkey" }
        try equal(names.sorted(), ["user.one", "user.two"], "names")
        try files.removeAttribute("a", "user.one")
        try refused(ENODATA) { _ = try files.attribute("a", "user.one") }
        try refused(ENODATA) { try files.removeAttribute("a", "user.one") }
    },
    FileSystemRule("a file without attributes lists none of users") { stage in
        try stage.files.create("a").close()
        let names = try orRefused(EOPNOTSUPP) { try stage.files.attributes("a") }
        try equal(names.filter { $0.hasPrefix("user.") }, [], "names")
    },
    FileSystemRule("XATTR_CREATE refuses a name that is there, XATTR_REPLACE one that is not") { stage in
        try stage.files.create("a").close()
        try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("a", "user.x", [1], .creating) }
        try refused(EEXIST) { try stage.files.setAttribute("a", "user.x", [2], .creating) }
        try equal(stage.files.attribute("a", "user.x"), [1], "value")
        try stage.files.setAttribute("a", "user.x", [3], .replacing)
        try equal(stage.files.attribute("a", "user.x"), [3], "value")
        try refused(ENODATA) { try stage.files.setAttribute("a", "user.y", [1], .replacing) }
    },
    FileSystemRule("sizes are asked without room, and too little room is ERANGE") { stage in
        try stage.files.create("a").close()
        try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("a", "user.x", pattern(100)) }
        try equal(stage.files.attributeByteCount("a", "user.x"), 100, "size of the value")
        try refused(ERANGE) { _ = try stage.files.attribute("a", "user.x", capacity: 99) }
        try equal(stage.files.attribute("a", "user.x", capacity: 100), pattern(100), "value")
        try expect(try stage.files.attributesByteCount("a") >= 7, "size of the list")
        try refused(ERANGE) { _ = try stage.files.attributes("a", capacity: 3) }
    },
    FileSystemRule("values of all sizes up to what the file system takes, and 64 KiB or a clean refusal") { stage in
        try stage.files.create("a").close()
        for count in [1, 15, 16, 17, 255, 256, 1000, 2000] {
            try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("a", "user.x", pattern(count)) }
            try equal(bytes: stage.files.attribute("a", "user.x"), pattern(count), "value of \(count) bytes")
        }
        try orRefused(ENOSPC, E2BIG, ERANGE) { try stage.files.setAttribute("a", "user.x", pattern(65_536)) }
        try equal(bytes: stage.files.attribute("a", "user.x"), pattern(65_536), "value of 64 KiB")
    },
    FileSystemRule("a value of more than 64 KiB is E2BIG, a name of more than 255 bytes ERANGE") { stage in
        try stage.files.create("a").close()
        try refused(E2BIG, EOPNOTSUPP) { try stage.files.setAttribute("a", "user.x", pattern(65_537)) }
        try refused(ERANGE, EOPNOTSUPP) {
            try stage.files.setAttribute("a", "user." + String(repeating: "n", count: 251), [1])
        }
    },
    FileSystemRule("long and odd names of attributes") { stage in
        try stage.files.create("a").close()
        let names = ["user.a b", "user.ä", "user.-", "user.a/b", "user." + String(repeating: "n", count: 90)]
        for name in names { try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("a", name, Array(name.utf8)) } }
        try equal(stage.files.attributes("a").filter { $0.hasPrefix("user.") }.sorted(), names.sorted(), "names")
        for name in names { try equal(stage.files.attribute("a", name), Array(name.utf8), name) }
    },
    FileSystemRule("a name of 255 bytes works or is refused cleanly") { stage in
        try stage.files.create("a").close()
        let name = "user." + String(repeating: "n", count: 250)
        try orRefused(EOPNOTSUPP, ERANGE, ENAMETOOLONG, ENOSPC) { try stage.files.setAttribute("a", name, [1]) }
        try equal(stage.files.attribute("a", name), [1], "value")
    },
    FileSystemRule("50 attributes of one file") { stage in
        try stage.files.create("a").close()
        for number in 0..<50 {
            try orRefused(EOPNOTSUPP, ENOSPC) { try stage.files.setAttribute("a", "user.n\(number)", [UInt8(number)]) }
        }
        try equal(stage.files.attributes("a").filter { $0.hasPrefix("user.n") }.count, 50, "number of names")
        for number in 0..<50 { try equal(stage.files.attribute("a", "user.n\(number)"), [UInt8(number)], "value") }
    },
    FileSystemRule("directories have attributes too") { stage in
        try stage.files.makeDirectory("d")
        try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("d", "user.x", [1]) }
        try equal(stage.files.attribute("d", "user.x"), [1], "value")
        try stage.files.create("d/a").close()
        try refused(ENODATA) { _ = try stage.files.attribute("d/a", "user.x") }
    },
    FileSystemRule("links have no attributes of users") { stage in
        try stage.files.symlink("x", "l")
        try refused(EPERM, EOPNOTSUPP, EACCES) { try stage.files.setAttribute("l", "user.x", [1]) }
    },
    FileSystemRule("attributes go with the file: rename, link, write, truncate") { stage in
        let file = try stage.files.create("a")
        try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("a", "user.x", [7]) }
        try stage.files.link("a", "b")
        try stage.files.rename("a", "c")
        try file.write(pattern(10_000), at: 0)
        try file.truncate(0)
        try file.synchronize()
        try file.close()
        try equal(stage.files.attribute("b", "user.x"), [7], "value by the second name")
        try equal(stage.files.attribute("c", "user.x"), [7], "value by the new name")
    },
    FileSystemRule("an attribute of an unknown kind is refused") { stage in
        try stage.files.create("a").close()
        try refused(EOPNOTSUPP) { try stage.files.setAttribute("a", "nonsense.x", [1]) }
        try refused(EOPNOTSUPP, ENODATA) { _ = try stage.files.attribute("a", "nonsense.x") }
    },
    FileSystemRule("a process that may not write the file sets no attribute") { stage in
        try needRoot()
        try stage.files.create("a").changeMode(0o644)
        try orRefused(EOPNOTSUPP) { try stage.files.setAttribute("a", "user.x", [1]) }
        try OtherUser.run {
            try refused(EACCES, EPERM) { try stage.files.setAttribute("a", "user.x", [2]) }
            try refused(EACCES, EPERM) { try stage.files.removeAttribute("a", "user.x") }
            try equal(stage.files.attribute("a", "user.x"), [1], "value")
        }
    },
]
