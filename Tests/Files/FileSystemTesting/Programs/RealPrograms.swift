import Foundation
import LatchkeyTestSupport

/// All programs that are tried.
package enum RealPrograms {
    package static let all = [git, tar, compiler, sqlite, sqliteProcesses, python, rsync, coreutils]
}

extension RealPrograms {
    /// Repositories: commits, merges, packing, and clones with and without hard links.
    package static let git = RealProgram(name: "git", needs: ["git": "git"]) { stage in
        try stage.run(["git", "init", "-q", "-b", "main", "one"])
        for number in 0..<60 {
            if number % 10 == 0 { try stage.files.makeDirectory("one/d\(number / 10)") }
            try stage.write("one/d\(number / 10)/file-\(number)", pattern(number * 700, seed: number))
        }
        try stage.files.symlink("d0/file-1", "one/link")
        try stage.write("one/run", Array("#!/bin/sh\n".utf8))
        try stage.files.changeMode("one/run", 0o755)
        try stage.run(["git", "add", "-A"], in: "one")
        try stage.run(["git", "commit", "-q", "-m", "first"], in: "one")
        try stage.run(["git", "checkout", "-q", "-b", "side"], in: "one")
        try stage.shell("for n in 1 2 3 4 5; do echo $n >> d1/file-1$n; git commit -qam \"change $n\"; done", in: "one")
        try stage.shell(
            "git checkout -q main && git mv d2 moved && git commit -qm moved && git merge -q side", in: "one")
        try stage.run(["git", "gc", "-q", "--prune=now"], in: "one")
        try stage.run(["git", "repack", "-q", "-a", "-d", "-f"], in: "one")
        try stage.run(["git", "fsck", "--full", "--strict"], in: "one")
        try stage.run(["git", "clone", "-q", "one", "linked"])
        try stage.run(["git", "clone", "-q", "--no-hardlinks", "one", "copied"])
        try stage.run(["git", "clone", "-q", "file://" + stage.files.path.text + "/one", "sent"])
        for clone: Path in ["linked", "copied", "sent"] {
            try stage.run(["git", "fsck", "--full", "--strict"], in: clone)
            try stage.expect(stage.run(["git", "status", "--porcelain"], in: clone), "", "status of \(clone)")
            try stage.expect(
                stage.run(["git", "log", "--oneline", "--no-merges"], in: clone)
                    .split(separator: "\n").count.description, "7", "commits of \(clone)")
            try stage.run(["diff", "-r", "--no-dereference", "-x", ".git", "one", clone.text])
        }
        try stage.shell("echo more >> run && git stash -q && git stash pop -q && git commit -qam more", in: "sent")
        try stage.run(["git", "push", "-q", "origin", "HEAD:other"], in: "sent")
        try stage.expect(stage.run(["git", "log", "-1", "--format=%s", "other"], in: "one"), "more", "what was pushed")
    }

    /// A tree of sources, out of an archive and into one again: the same archive, with all modes, times and links.
    package static let tar = RealProgram(name: "tar", needs: ["tar": "tar"]) { stage in
        let sources = PackageFolder.url.path
        let options =
            "--sort=name --format=posix --numeric-owner --owner=0 --group=0 "
            + "--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime"
        let scratch = stage.scratch.path.text
        // Files that a tree of sources seldom has.
        try stage.scratch.makeDirectory("extra")
        try stage.scratch.makeDirectory("extra/empty")
        try stage.scratch.create("extra/odd\nname", [1]).close()
        try stage.scratch.create(Path("extra/" + String(repeating: "l", count: 255)), [2]).close()
        try stage.scratch.link("extra/odd\nname", "extra/second")
        try stage.scratch.symlink("nowhere", "extra/dangling")
        try stage.scratch.changeMode("extra/empty", 0o711)
        try stage.scratch.setTimes("extra/second", accessed: 1, modified: 1_234_567_890_123_456_789)
        try stage.shell("tar \(options) -cf '\(scratch)/in.tar' -C '\(sources)' Tests -C '\(scratch)' extra")
        try stage.run(["tar", "-xpf", scratch + "/in.tar"])
        try stage.shell("tar \(options) -cf '\(scratch)/out.tar' Tests extra")
        try stage.run(["cmp", scratch + "/in.tar", scratch + "/out.tar"])
        // The archive itself on the file system under test, read while it is unpacked.
        try stage.shell(
            "cp '\(scratch)/in.tar' in.tar && mkdir again && tar -xpf in.tar -C again && diff -r Tests again/Tests")
    }

    /// A program of several files, built by make, run, and built again after a change.
    package static let compiler = RealProgram(
        name: "make and cc", needs: ["make": "make", "gcc": "gcc", "ar": "binutils"]
    ) { stage in
        for number in 0..<12 {
            try stage.write(
                "part\(number).c", "#include \"parts.h\"\nint part\(number)(void) { return PARTS + \(number); }\n")
        }
        let declarations = (0..<12).map { "int part\($0)(void);\n" }.joined()
        try stage.write("parts.h", "#define PARTS 100\n" + declarations)
        let sum = (0..<12).map { "part\($0)()" }.joined(separator: " + ")
        try stage.write(
            "main.c",
            "#include \"parts.h\"\n#include <stdio.h>\nint main(void) { printf(\"%d\\n\", \(sum)); return 0; }\n")
        let objects = (0..<12).map { "part\($0).o" }.joined(separator: " ")
        try stage.write(
            "Makefile",
            """
            program: main.o libparts.a
            \tgcc -o $@ main.o libparts.a
            libparts.a: \(objects)
            \trm -f $@ && ar rc $@ $^
            %.o: %.c parts.h
            \tgcc -g -O1 -c -o $@ $<
            clean:
            \trm -f *.o *.a program

            """)
        try stage.run(["make", "-j4", "-s"])
        try stage.expect(stage.run(["./program"]), "1266", "the program's answer")
        try stage.expect(stage.run(["make", "-q"]), "", "make, with nothing to do")
        // Older than what was made of it, then newer: make goes by the times.
        try stage.run(["touch", "-d", "2001-01-01", "part3.c"])
        try stage.run(["make", "-q"])
        try stage.run(["sed", "-i", "s/PARTS + 3/PARTS + 1003/", "part3.c"])
        try stage.run(["touch", "-d", "tomorrow", "part3.c"])
        let again = try stage.run(["make"])
        try stage.expect(
            again.split(separator: "\n").filter { $0.contains(" -c ") && !$0.contains("part3.c") }.joined(), "",
            "what make compiled without need")
        try stage.expect(stage.run(["./program"]), "2266", "the program's answer after the change")
        try stage.run(["make", "-s", "clean"])
    }

    /// zipfile, mmap, copytree and temporary files.
    package static let python = RealProgram(name: "python", needs: ["/usr/bin/python3": "python3"]) { stage in
        try stage.run(["/usr/bin/python3", "-c", pythonScript])
    }

    private static let pythonScript = """
        import fcntl, hashlib, mmap, os, pathlib, shutil, tempfile, zipfile
        def content(n): return hashlib.sha256(str(n).encode()).digest() * (n * 13 % 997)
        os.makedirs('tree/below')
        for n in range(80): pathlib.Path(f'tree/below/f{n}').write_bytes(content(n))
        with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as z:
            for n in range(80): z.write(f'tree/below/f{n}', f'f{n}')
        with zipfile.ZipFile('a.zip', 'a') as z: z.writestr('added', content(200))
        with zipfile.ZipFile('a.zip') as z:
            assert z.testzip() is None
            assert len(z.namelist()) == 81
            for n in range(80): assert z.read(f'f{n}') == content(n), n
        shutil.copytree('tree', 'copy')
        for n in range(80):
            a, b = os.stat(f'tree/below/f{n}'), os.stat(f'copy/below/f{n}')
            assert a.st_mtime_ns == b.st_mtime_ns and a.st_mode == b.st_mode, n
            assert pathlib.Path(f'copy/below/f{n}').read_bytes() == content(n), n
        with open('map', 'w+b') as f:
            f.truncate(1 << 20)
            with mmap.mmap(f.fileno(), 0) as m:
                for n in range(0, 1 << 20, 4099): m[n] = n % 251
                m.flush()
            f.seek(0)
            data = f.read()
            assert all(data[n] == n % 251 for n in range(0, 1 << 20, 4099))
            assert sum(1 for b in data if b) <= (1 << 20) // 4099 + 1
        with tempfile.TemporaryFile(dir='.') as f:
            f.write(content(5)); f.seek(0)
            assert f.read() == content(5)
        with tempfile.NamedTemporaryFile(dir='.') as f:
            fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
            f.write(content(7)); f.flush()
            assert pathlib.Path(f.name).read_bytes() == content(7)
        pathlib.Path('target').write_bytes(b'old')
        pathlib.Path('new').write_bytes(b'new')
        os.replace('new', 'target')
        assert pathlib.Path('target').read_bytes() == b'new'
        assert sorted(p.name for p in pathlib.Path('tree/below').glob('f*')) == sorted(f'f{n}' for n in range(80))
        shutil.rmtree('tree'); shutil.rmtree('copy')
        """

    /// A mirror, and the same mirror after changes; rsync itself finds no difference.
    package static let rsync = RealProgram(name: "rsync", needs: ["rsync": "rsync"]) { stage in
        let source = stage.scratch
        try source.makeDirectory("source")
        for number in 0..<80 { try source.create("source/f\(number)", pattern(number * 999, seed: number)).close() }
        try source.link("source/f10", "source/hard")
        try source.symlink("f11", "source/soft")
        let path = (source.path / "source/").text
        try stage.run(["rsync", "-aH", path, "mirror/"])
        try stage.expect(stage.run(["rsync", "-aHnci", "--delete", path, "mirror/"]), "", "differences")
        try source.open("source/f40").write([1, 2, 3], at: 20_000)
        try source.open("source/f41").truncate(77)
        try source.unlink("source/f42")
        try source.create("source/new", pattern(50_000)).close()
        try stage.run(["rsync", "-aH", "--delete", "--no-whole-file", path, "mirror/"])
        try stage.run(["rsync", "-aHc", "--inplace", "--no-whole-file", path, "mirror/"])
        try stage.expect(stage.run(["rsync", "-aHnci", "--delete", path, "mirror/"]), "", "differences")
        try stage.run(["diff", "-r", path, "mirror"])
    }

    /// cp, sed, dd, sort, split and others, with the flags that need something of a file system.
    package static let coreutils = RealProgram(name: "coreutils", needs: ["sed": "sed", "diff": "diffutils"]) { stage in
        try stage.files.makeDirectory("a")
        for number in 0..<40 { try stage.write("a/f\(number)", pattern(number * 1234, seed: number)) }
        try stage.files.link("a/f5", "a/hard")
        try stage.files.symlink("f6", "a/soft")
        try stage.files.setTimes("a/f7", accessed: 1_000_000_007, modified: 1_111_111_111_222_222_222)
        try stage.files.changeMode("a/f8", 0o511)
        try stage.run(["cp", "-a", "a", "b"])
        try stage.run(["diff", "-r", "--no-dereference", "a", "b"])
        for name: Path in ["f7", "f8", "soft", "hard"] {
            let (one, other) = try (stage.files.status("a" / name), stage.files.status("b" / name))
            try equal(other.modified, one.modified, "time of \(name)")
            try equal(other.mode, one.mode, "mode of \(name)")
            try equal(other.links, one.links, "links of \(name)")
        }
        try stage.shell("seq 1 20000 > lines && sed -i 's/^1/one-/' lines")
        try stage.expect(stage.run(["grep", "-c", "^one-", "lines"]), "11111", "lines that sed changed")
        try stage.shell("seq 20000 -1 1 > numbers && sort -n -o numbers numbers && seq 1 20000 | cmp - numbers")
        try stage.shell("split -b 5000 numbers part- && cat part-* | cmp - numbers && rm part-*")
        try stage.shell("sha256sum a/* > sums && sha256sum --quiet -c sums")
        try stage.write("disk", pattern(100_000))
        try stage.shell("printf XYZ | dd of=disk bs=1 seek=70000 conv=notrunc status=none")
        var wanted = pattern(100_000)
        wanted.replaceSubrange(70_000..<70_003, with: Array("XYZ".utf8))
        try equal(bytes: stage.files.contents("disk"), wanted, "what dd left")
        try stage.shell("dd if=disk of=copy bs=777 conv=fsync,sparse status=none && cmp disk copy")
        try stage.shell("truncate -s 3M sparse && cp --sparse=always sparse sparse2 && cmp sparse sparse2")
        try stage.shell("for n in 1 2 3 4; do (for m in $(seq 50); do echo $n-$m >> log; done) & done; wait")
        try stage.expect(stage.run(["sort", "-u", "log"]).split(separator: "\n").count.description, "200", "lines")
        try stage.shell("mv b c && ln -sfn c b && find c -type f -delete && find c -type l -delete && rmdir c && rm b")
    }
}
