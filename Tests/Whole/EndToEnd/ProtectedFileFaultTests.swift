import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("Protecting files when something goes wrong in the middle")
struct ProtectedFileFaultTests {
    /// Waits until the program has come to a file.
    private static func wait(until name: String, in tree: ProtectedTree, isProtected: Bool, _ process: Process) {
        while process.isRunning, tree.isProtected("t/\(name)") != isProtected { usleep(500) }
    }

    private static func expectEverything(_ files: [String: [UInt8]], in tree: ProtectedTree) throws {
        #expect(try tree.names() == Set(files.keys).union(["sub"]))
        try #require(try tree("unprotect t --yes").status == 0)
        for (name, bytes) in files { #expect(try tree.stage.bytes("t/\(name)") == bytes, "\(name)") }
        #expect(try tree.names() == Set(files.keys).union(["sub"]))
    }

    @Test("an interruption ends after whole files, and the same command goes on", arguments: [SIGINT, SIGTERM, SIGHUP])
    func interrupted(_ number: Int32) throws {
        let tree = try ProtectedTree()
        let files = try tree.fill(300, byteCount: 3000)
        var process = try tree.start(["protect", "t", "--class", "complete", "--yes"])
        Self.wait(until: "00050", in: tree, isProtected: true, process)
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        // On a busy machine the program may have been done before the signal.
        for _ in 0..<10 where process.terminationStatus == 0 {
            try #require(try tree("unprotect t --yes").status == 0)
            process = try tree.start(["protect", "t", "--class", "complete", "--yes"])
            Self.wait(until: "00000", in: tree, isProtected: true, process)
            kill(process.processIdentifier, number)
            process.waitUntilExit()
        }
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 130)
        let done = files.keys.filter { tree.isProtected("t/\($0)") }.count
        #expect(done > 0 && done < 300)
        #expect(try tree.names() == Set(files.keys).union(["sub"]), "nothing is left behind")
        let rest = try tree("protect t --class complete --yes --json").json()
        #expect(rest["files"] as? Int == 300 - done)
        try Self.expectEverything(files, in: tree)
    }

    @Test("kill -9 at any moment loses nothing, in both directions")
    func killed() throws {
        let tree = try ProtectedTree()
        let files = try tree.fill(120, byteCount: 20_000)
        for round in 0..<6 {
            let isProtecting = round % 2 == 0
            let arguments = isProtecting ? ["protect", "t", "--class", "none", "--yes"] : ["unprotect", "t", "--yes"]
            let process = try tree.start(arguments)
            Self.wait(until: String(format: "%05d", 20 + 13 * round), in: tree, isProtected: isProtecting, process)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let left = try tree.names().subtracting(files.keys).subtracting(["sub"])
            #expect(left.count <= 1 && left.allSatisfy { $0.hasPrefix(".latchkey-swap-") }, "\(left)")
            // Each file has its content, protected or not.
            for (name, bytes) in files where !tree.isProtected("t/\(name)") {
                #expect(try tree.stage.bytes("t/\(name)") == bytes, "\(name)")
            }
            #expect(
                try tree("check t").status == (left.isEmpty ? 0 : 34), "a copy in clear does not count as a success")
            try #require(try tree(arguments.joined(separator: " ")).status == 0)
        }
        try Self.expectEverything(files, in: tree)
    }

    @Test("a file for which there is no room is left as it is, and the others are protected", .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 8)
        let tree = try ProtectedTree(in: disk.path)
        let large = FileStage.bytes(5 << 20)
        try tree.stage.write(large, to: "t/large")
        try tree.stage.write([1, 2, 3], to: "t/small")
        let ending = try tree("protect t --class none --yes")
        #expect(ending.status == 34)
        #expect(ending.errors.contains("t/large") && ending.errors.contains("free"), "\(ending.errors)")
        #expect(try tree.stage.bytes("t/large") == large)
        #expect(tree.isProtected("t/small"))
        #expect(try tree.names() == ["large", "small", "sub"])
    }

    @Test("a device that ends in the middle ends the command, and the next one goes on")
    func deviceGone() throws {
        let tree = try ProtectedTree()
        let files = try tree.fill(300, byteCount: 3000)
        let process = try tree.start(["protect", "t", "--class", "none", "--yes"])
        Self.wait(until: "00030", in: tree, isProtected: true, process)
        try tree.device.kill("latchkeyd")
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus != 0)
        #expect(try tree.names() == Set(files.keys).union(["sub"]))
        try #require(try tree.device("start").status == 0)
        try #require(try tree.device("unlock", input: "246810\n").status == 0)
        try #require(try tree("protect t --class none --yes").status == 0)
        try Self.expectEverything(files, in: tree)
    }

    @Test("on a terminal the plan is shown, the word is asked for, and progress is shown")
    func terminal() throws {
        let tree = try ProtectedTree()
        try tree.stage.write(FileStage.bytes(3 << 20), to: "t/f")
        let path = tree.stage.path("t")
        let refused = try ControllingTerminal("file protect \(path) --class complete", on: tree.device)
        #expect(try refused.read(until: "Type protect to go on: ").contains("1 file (3.0 MiB) in clear"))
        refused.type("yes\n")
        #expect(try refused.end().status == 37)
        #expect(!tree.isProtected("t/f"))
        let agreed = try ControllingTerminal("file protect \(path) --class complete", on: tree.device)
        try agreed.read(until: "Type protect to go on: ")
        agreed.type("protect\n")
        try agreed.read(until: "Protecting")
        let ending = try agreed.end()
        #expect(ending.status == 0)
        #expect(ending.output.contains("1 file (3.0 MiB)"))
        #expect(tree.isProtected("t/f"))
    }
}
