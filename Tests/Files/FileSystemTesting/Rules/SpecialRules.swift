import Glibc

/// Pipes, sockets, and programs that run from the file system.
let specialRules: [FileSystemRule] = [
    FileSystemRule("a FIFO carries bytes between its two ends, or is refused") { stage in
        try orRefused(EPERM, EOPNOTSUPP, ENOSYS) { try stage.files.makeFIFO("f") }
        try equal(stage.files.status("f").kind, .fifo, "kind")
        let reader = try stage.files.open("f", O_RDONLY | O_NONBLOCK)
        let writer = try stage.files.open("f", O_WRONLY | O_NONBLOCK)
        try writer.writeOn([1, 2, 3])
        try equal(reader.readOn(10), [1, 2, 3], "bytes")
        try refused(EEXIST) { try stage.files.makeFIFO("f") }
        try stage.files.rename("f", "g")
        try stage.files.unlink("g")
    },
    FileSystemRule("a FIFO without a reader is ENXIO for a writer that does not wait") { stage in
        try orRefused(EPERM, EOPNOTSUPP, ENOSYS) { try stage.files.makeFIFO("f") }
        try refused(ENXIO) { try stage.files.open("f", O_WRONLY | O_NONBLOCK) }
    },
    FileSystemRule("a socket is found by its name, or is refused") { stage in
        let path = stage.files.path / "s"
        guard path.bytes.count < 100 else { throw UntriedRule(reason: "the path is too long for a socket's address") }
        let listener = try orRefused(EPERM, EOPNOTSUPP, ENOSYS) { try stage.files.listen("s") }
        try equal(stage.files.status("s").kind, .socket, "kind")
        let client = try stage.files.connect("s")
        try refused(EADDRINUSE) { _ = try stage.files.listen("s") }
        try refused(ENXIO) { try stage.files.open("s", O_RDONLY) }
        try client.close()
        try listener.close()
        try stage.files.unlink("s")
        try refused(ENOENT) { _ = try stage.files.connect("s") }
    },
    FileSystemRule("a program runs from the file system") { stage in
        // Written by another process: a child of this one could still have it open for writing (ETXTBSY).
        try OtherProcess.start(program: "/bin/cp", ["/bin/true", stage.files.path.text]).wait()
        try OtherProcess.start(program: (stage.files.path / "true").text, []).wait()
    },
    FileSystemRule("a script runs from the file system") { stage in
        let script = (stage.files.path / "script").text
        try OtherProcess.start(
            program: "/bin/sh", ["-c", "printf '#!/bin/sh\\nexit 0\\n' > \(script) && chmod 755 \(script)"]
        ).wait()
        try OtherProcess.start(program: script, []).wait()
    },
    FileSystemRule("a file without x does not run: EACCES") { stage in
        try stage.files.create("script", Array("#!/bin/sh\nexit 0\n".utf8), mode: 0o644).close()
        try refused(EACCES) { try stage.files.access("script", X_OK) }
    },
    FileSystemRule("four threads make, write, rename and remove names of their own in one directory") { stage in
        let failures = FailureList()
        onThreads(4) { thread in
            do {
                for round in 0..<60 {
                    let (new, name) = (Path("t\(thread)-new"), Path("t\(thread)-\(round % 7)"))
                    try stage.files.create(new, pattern(3000, seed: round * 4 + thread)).close()
                    try stage.files.rename(new, name)
                    try equal(
                        bytes: stage.files.contents(name), pattern(3000, seed: round * 4 + thread), "\(name)")
                    if round % 3 == 0 { try stage.files.unlink(name) }
                    _ = try stage.files.names()
                }
            } catch {
                failures.add("thread \(thread): \(error)")
            }
        }
        if let failure = failures.all.first { throw RuleMismatch(failure) }
        let names = try stage.files.names()
        for name in names { try equal(stage.files.contents(name).count, 3000, "size of \(name)") }
    },
    FileSystemRule("of many threads that create one name with O_EXCL, one succeeds") { stage in
        for round in 0..<20 {
            let winners = FailureList()
            onThreads(4) { thread in
                if (try? stage.files.create("n\(round)")) != nil { winners.add("\(thread)") }
            }
            try equal(winners.all.count, 1, "threads that created the file in round \(round)")
        }
    },
    FileSystemRule("four threads write one file, each its own part") { stage in
        let file = try stage.files.create("a")
        let failures = FailureList()
        onThreads(4) { thread in
            do {
                for round in 0..<100 {
                    let offset = (round * 4 + thread) * 1000
                    try file.write(pattern(1000, seed: offset), at: Int64(offset))
                }
            } catch {
                failures.add("thread \(thread): \(error)")
            }
        }
        if let failure = failures.all.first { throw RuleMismatch(failure) }
        let wanted = (0..<400).flatMap { pattern(1000, seed: $0 * 1000) }
        try equal(bytes: file.contents(), wanted, "bytes")
        try file.synchronize()
        try file.dropPages()
        try equal(bytes: file.contents(), wanted, "bytes from the file system")
    },
]
