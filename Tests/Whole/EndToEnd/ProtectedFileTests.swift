import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// A device and a tree of files, which the real program protects.
final class ProtectedTree {
    let device: ThrowawayDevice
    let stage: FileStage

    init(_ device: ThrowawayDevice? = nil, in place: String? = nil) throws {
        self.device = try device ?? .unlocked()
        stage = try FileStage(in: place)
        try FileManager.default.createDirectory(atPath: stage.path("t/sub"), withIntermediateDirectories: true)
    }

    /// Runs `latchkey file` with arguments separated by blanks, in the directory of the tree.
    @discardableResult
    func callAsFunction(_ line: String, under program: String = "") throws -> Ending {
        try stage("\(program) $L file \(line) --device \(device.directory) </dev/null")
    }

    /// Starts `latchkey file`, and returns while it runs.
    func start(_ arguments: [String]) throws -> Process {
        let process = Process()
        // The threads of a test block signals, and programs inherit that.
        let unblocked = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments =
            ["-c", unblocked, try Installation.program("latchkey").path, "file"] + arguments
            + ["--device", device.directory]
        process.currentDirectoryURL = URL(filePath: stage.directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Files `00000` and following below `t`, each of its own content, and what they were.
    func fill(_ count: Int, byteCount: Int) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for index in 0..<count {
            let name = String(String(100_000 + index).dropFirst())
            let bytes = Array("\(name) ".utf8) + FileStage.bytes(byteCount &* index % 9 + byteCount)
            files[name] = bytes
            try stage.write(bytes, to: "t/\(name)")
        }
        return files
    }

    func isProtected(_ name: String) -> Bool {
        let file = open(stage.path(name), O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var start = [UInt8](repeating: 0, count: 4)
        return read(file, &start, 4) == 4 && start == Array("LKPF".utf8)
    }

    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: stage.path("t")))
    }
}

@Suite("Protected files through the command line")
struct ProtectedFileTests {
    @Test("a tree is protected, read, checked and stored in clear again, and nothing has changed")
    func roundTrip() throws {
        let tree = try ProtectedTree()
        try tree.stage.write(FileStage.bytes(3_000_000), to: "t/large")
        try tree.stage.write([], to: "t/empty")
        try tree.stage.write(Array("letter\n".utf8), to: "t/sub/letter")
        try #require(try tree.stage("chmod 440 t/sub/letter; touch -d 2020-02-02 t/large; cp -a t before").status == 0)

        let plan = try tree("protect t --class complete --dry-run --json").json()
        let clear = (plan["plan"] as? [String: Any])?["clear"] as? [String: Any]
        #expect(clear?["files"] as? Int == 3)
        #expect(clear?["bytes"] as? Int == 3_000_007)
        #expect(!tree.isProtected("t/large"), "a plan changes nothing")
        #expect(try tree("protect t --class complete").status == 37, "there is no terminal to confirm on")
        #expect(!tree.isProtected("t/large"))

        let made = try tree("protect t --class complete --yes --json").json()
        #expect(made["files"] as? Int == 3)
        #expect(made["directories"] as? Int == 2)
        #expect(made["class"] as? String == "NSFileProtectionComplete")
        for name in ["t/large", "t/empty", "t/sub/letter"] { #expect(tree.isProtected(name), "\(name)") }
        let classes = try tree("class t t/large t/sub").output.split(separator: "\n").map {
            $0.split(separator: " ")[0]
        }
        #expect(classes == ["complete", "complete", "complete"])
        #expect(try tree("cat t/sub/letter").output == "letter\n")
        #expect(
            try tree.stage("$L file cat t/large --device \(tree.device.directory) | cmp - before/large").status == 0)
        #expect(try tree("check t").output.hasPrefix("3 protected files intact"))
        let again = try tree("protect t --class complete --yes --json").json()
        #expect(again["files"] as? Int == 0)

        // A user whose file it is cannot change the class of what only can be read.
        try #require(try tree.stage("chmod 640 t/sub/letter before/sub/letter").status == 0)
        #expect(try tree("class --set B t/sub/letter").output.hasPrefix("unless-open"))
        let kept = try tree("protect t --class none --yes").status
        #expect(kept == 0)
        #expect(try tree("class t/sub/letter").output.hasPrefix("unless-open"), "another class is kept")
        #expect(try tree("protect t --class none --yes --reclass").status == 0)
        #expect(try tree("class t/sub/letter").output.hasPrefix("none"))

        #expect(try tree("unprotect t").status == 37)
        #expect(try tree("unprotect t --yes").output.hasPrefix("3 files"))
        let same = try tree.stage(
            """
            diff -r t before && cd t && stat -c '%n %a %u %g %s %y' large empty sub/letter >../now &&
            cd ../before && stat -c '%n %a %u %g %s %y' large empty sub/letter | diff - ../now
            """)
        #expect(same.status == 0, "\(same.output)")
        #expect(try tree("class t").output.hasPrefix("-"))
    }

    @Test("classes follow the lock state, and doctor and status tell what is open")
    func locked() throws {
        let tree = try ProtectedTree()
        try tree.stage.write(Array("a\n".utf8), to: "t/a")
        try tree.stage.write(Array("c\n".utf8), to: "t/c")
        try #require(try tree("class --set complete t/a").status == 0)
        try #require(try tree("class --set until-first-unlock t/c").status == 0)
        #expect(try tree.device("status").output.contains("all classes open"))
        try #require(try tree.device("lock --now").status == 0)
        #expect(try tree.device("status").output.contains("open: until-first-unlock, none; closed: complete"))
        let steps = try tree.device("doctor --json").json()["steps"] as? [[String: Any]]
        for name in ["protected files", "classes of directories", "FUSE", "volumes"] {
            #expect(steps?.contains { $0["step"] as? String == name } == true, "\(name)")
        }
        let refused = try tree("cat t/a")
        #expect(refused.status == 36)
        #expect(refused.errors.contains("t/a") && refused.output.isEmpty)
        #expect(try tree("cat t/c").output == "c\n")
        #expect(try tree("class t/a").output.hasPrefix("complete "), "the class is read without a key")
        #expect(try tree("check t --json").status == 34)

        try tree.stage.write(Array("new\n".utf8), to: "t/new")
        #expect(try tree("protect t --class complete --yes").status == 36)
        #expect(!tree.isProtected("t/new"))
        #expect(try tree("protect t --class unless-open --yes").status == 0)
        #expect(tree.isProtected("t/new"))
        #expect(try tree("unprotect t --yes").status == 34)
        #expect(tree.isProtected("t/a") && tree.isProtected("t/new") && !tree.isProtected("t/c"))
        try #require(try tree.device("unlock", input: "246810\n").status == 0)
        #expect(try tree("cat t/new").output == "new\n")
    }

    @Test("what is left as it is has a reason, and the exit code tells of files")
    func left() throws {
        let tree = try ProtectedTree()
        for name in ["plain", "linked", "suid", "written"] { try tree.stage.write(Array("x".utf8), to: "t/\(name)") }
        try #require(
            try tree.stage("ln t/linked t/sub/other; chmod 4755 t/suid; ln -s plain t/link; mkfifo t/pipe").status == 0)
        let writer = open(tree.stage.path("t/written"), O_WRONLY | O_CLOEXEC)
        let ending = try tree("protect t --class none --yes --json")
        close(writer)
        #expect(ending.status == 34)
        let left = try ending.json()["left"] as? [[String: Any]] ?? []
        let counts = left.reduce(into: [:]) { $0[$1["reason"] as? String ?? ""] = $1["count"] as? Int }
        #expect(counts == ["otherNames": 2, "programRights": 1, "openForWriting": 1, "link": 1, "special": 1])
        #expect(tree.isProtected("t/plain"))
        for name in ["t/linked", "t/suid", "t/written"] { #expect(!tree.isProtected(name), "\(name)") }
        #expect(try tree("protect / --class none --yes").status == 64)
        #expect(try tree("protect nowhere --class none --yes").status == 32)
    }

    @Test("a file whose owner cannot be kept is left as it is", .needsRoot(to: "make a file of another user"))
    func otherOwner() throws {
        let tree = try ProtectedTree()
        for name in ["own", "other"] { try tree.stage.write(Array("x".utf8), to: "t/\(name)") }
        try #require(chown(tree.stage.path("t/other"), 12345, 54321) == 0)
        // Root without the right to give files away, as in a container.
        let ending = try tree("protect t --class none --yes --json", under: "setpriv --bounding-set=-chown")
        #expect(ending.status == 34, "\(ending.errors)")
        #expect(ending.errors.contains("another user or group"))
        #expect(try ending.json()["failedCount"] as? Int == 1)
        #expect(tree.isProtected("t/own") && !tree.isProtected("t/other"))
        #expect(try tree("protect t --class none --yes").status == 0)
        #expect(tree.isProtected("t/other"))
        var status = stat()
        #expect(lstat(tree.stage.path("t/other"), &status) == 0 && status.st_uid == 12345 && status.st_gid == 54321)
    }

    @Test("a copy that a killed command left behind is removed, or named")
    func leftover() throws {
        let tree = try ProtectedTree()
        try tree.stage.write(Array("letter".utf8), to: "t/letter")
        // The former file stays under another name, as after a kill between the exchange and its end.
        try #require(
            try tree.stage(
                """
                ln t/letter keep && cp -p t/letter t/copy && mv t/copy t/letter
                mv keep "t/.latchkey-swap-$(stat -c %i keep)-x"
                """
            ).status == 0)
        try #require(try tree("protect t/letter --class none --yes").status == 0)
        let name = try #require(try tree.names().first { $0.hasPrefix(".latchkey-swap-") })
        func left(_ line: String) throws -> [String: Int] {
            let ending = try tree(line)
            let left = try ending.json()["left"] as? [[String: Any]] ?? []
            #expect((ending.status == 34) == !left.isEmpty, "\(ending.output)")
            return left.reduce(into: [:]) { $0[$1["reason"] as? String ?? ""] = $1["count"] as? Int }
        }
        #expect(try left("check t --json") == ["leftover": 1])
        // Its successor changes: the copy is of another content then.
        try #require(try tree.stage("cp -p t/letter same && touch -d 2001-01-01 t/letter").status == 0)
        for line in ["check t --json", "protect t --class none --yes --json", "unprotect t --yes --json"] {
            #expect(try left(line) == ["leftover": 1], "\(line)")
            #expect(try tree.names().contains(name))
        }
        let plan = try tree("protect t --class none --dry-run")
        #expect(plan.output.contains(name) && plan.output.contains("maybe in clear"), "\(plan.output)")
        try #require(try tree.stage("mv same t/letter").status == 0)
        #expect(try left("protect t --class none --yes --json") == [:])
        #expect(try !tree.names().contains(name))
    }

    @Test("a device's own files are never protected")
    func device() throws {
        let tree = try ProtectedTree()
        for path in ["", "/keychain", "/enclave/.."] {
            let ending = try tree("protect \(tree.device.directory)\(path) --class none --yes")
            #expect(ending.status == 64, "\(path): \(ending.errors)")
        }
        try #require(try tree.stage("mkdir above && mv \(tree.device.directory) above/device").status == 0)
        defer { rename(tree.stage.path("above/device"), tree.device.directory) }
        try tree.stage.write([1], to: "above/file")
        try #require(symlink(tree.stage.path("above/device"), tree.device.directory) == 0)
        defer { unlink(tree.device.directory) }
        let ending = try tree("protect above --class none --yes --json").json()
        #expect(ending["files"] as? Int == 1)
        #expect(ending["directories"] as? Int == 1)
        #expect((ending["left"] as? [[String: Any]])?.first?["reason"] as? String == "device")
    }

    @Test("damage is told with its bytes, and damaged files are not stored in clear")
    func damage() throws {
        let tree = try ProtectedTree()
        try tree.stage.write(FileStage.bytes(100_000), to: "t/f")
        try tree.stage.write(FileStage.bytes(100_000), to: "t/whole")
        try #require(try tree("protect t --class none --yes").status == 0)
        try #require(
            try tree.stage("printf damaged! | dd of=t/f bs=1 seek=20000 conv=notrunc status=none").status == 0)
        let check = try tree("check t --json")
        #expect(check.status == 65)
        #expect(try check.json()["damagedCount"] as? Int == 1)
        #expect(try check.json()["files"] as? Int == 1)
        #expect(try tree("check t").errors.contains("damaged: the bytes"))
        #expect(try tree("cat t/f").status == 65)
        #expect(try tree("unprotect t --yes").status == 34)
        #expect(tree.isProtected("t/f") && !tree.isProtected("t/whole"))
    }

    @Test("a reader that goes away ends the output, and a file is only made new")
    func output() throws {
        let tree = try ProtectedTree()
        try tree.stage.write(FileStage.bytes(4 << 20), to: "t/f")
        try #require(try tree("class --set none t/f").status == 0)
        let device = tree.device.directory
        #expect(
            try tree.stage("set +o pipefail; $L file cat t/f --device \(device) | head -c 3 | wc -c").output == "3\n")
        #expect(try tree.stage("$L file cat t/f --device \(device) >/dev/full").status == 73)
        #expect(try tree("cat t/f -o out --json").json()["bytes"] as? Int == 4 << 20)
        #expect(try tree("cat t/f -o out").status == 39)
        #expect(try tree.stage.bytes("out") == FileStage.bytes(4 << 20))
        #expect(try tree("cat nowhere").status == 32)
    }
}
