import Foundation
import Glibc
import Testing

@Suite("Installing, while a program waits or a device runs")
struct UpdateTests {
    private func directory() throws -> String {
        var template = Array("/tmp/lk-update.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A directory with the project's Makefile, and programs that only write down that they were called.
    private func make(_ arguments: [String], sudo: String) throws -> (ending: Ending, calls: [String]) {
        let place = try directory()
        defer { try? FileManager.default.removeItem(atPath: place) }
        try FileManager.default.createDirectory(atPath: place + "/Scripts", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: place + "/bin", withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Installation.repositoryFile("Makefile"), toPath: place + "/Makefile")
        let noting = "#!/bin/sh\necho \"${0##*/} $*\" >>\(place)/calls\n"
        var programs = ["bin/swift": noting, "bin/id": "#!/bin/sh\necho 1000\n", "bin/sudo": noting + sudo + "\n"]
        for name in ["build", "install-packages", "link-commoncrypto", "link-programs", "install-system"] {
            programs["Scripts/" + name] = noting
        }
        for (path, text) in programs {
            // By another process: a file that was just written cannot always be run while others are started.
            let written = try run(
                URL(filePath: "/bin/sh"), ["-c", "cat >\"$0\" && chmod 755 \"$0\"", place + "/" + path],
                input: Data(text.utf8))
            try #require(written.status == 0)
        }
        let ending = try run(
            URL(filePath: "/usr/bin/make"), ["-C", place] + arguments,
            environment: ["PATH": place + "/bin:/usr/bin:/bin"])
        let calls = (try? String(contentsOfFile: place + "/calls", encoding: .utf8)) ?? ""
        return (ending, calls.split(separator: "\n").map(String.init))
    }

    @Test("make install asks for root before it builds, also in parallel, and builds nothing if that is refused")
    func asksFirst() throws {
        let (installed, calls) = try make(["-j4", "install", "OWNER=anna"], sudo: "exit 0")
        #expect(installed.status == 0, "\(installed.errors)")
        let waking = calls.filter { $0 != "sudo -n -v" }
        #expect(waking.first == "sudo -v", "\(calls)")
        #expect(
            waking.contains { $0.hasPrefix("build -c release") || $0.hasPrefix("swift build -c release") }, "\(calls)")
        #expect(
            waking.last?.hasPrefix("sudo env") == true && waking.last?.hasSuffix("--owner anna") == true, "\(calls)")
        let (refused, before) = try make(["install"], sudo: "exit 1")
        #expect(refused.status != 0)
        #expect(before == ["sudo -v"])
    }

    @Test("an update for one user restarts the device that runs the old programs, and says that it is locked now")
    func restarts() throws {
        let home = try directory()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let programs = home + "/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        for name in ["latchkeyd", "latchkey-enclave", "latchkey-volume", "latchkey-transport"] {
            let program = try Installation.program(name).path
            if link(program, programs + "/" + name) != 0 { try TwoInstallations.copy(program, programs + "/" + name) }
        }
        try TwoInstallations.copy(try Installation.program("latchkey").path, programs + "/latchkey")
        try Data("library".utf8).write(to: URL(filePath: programs + "/libcommoncrypto.so.1"))
        let environment = ["PREFIX": home + "/local", "HOME": home, "XDG_DATA_HOME": home + "/data"]
        let latchkey = URL(filePath: home + "/local/bin/latchkey")
        func install() throws -> Ending {
            try run(
                URL(filePath: Installation.repositoryFile("Scripts/install-user")), ["--programs", programs],
                environment: environment)
        }
        func use(_ line: String, _ input: String = "") throws -> Ending {
            try run(
                latchkey, line.split(separator: " ").map(String.init), input: Data(input.utf8), environment: environment
            )
        }
        func daemon() throws -> String {
            try String(contentsOfFile: home + "/data/latchkey/device/run/latchkeyd.pid", encoding: .utf8)
        }
        let first = try install()
        #expect(first.status == 0, "\(first.errors)")
        #expect(!first.output.contains("restarted"))
        #expect(try use("start").status == 0)
        defer { _ = try? use("stop") }
        #expect(try use("passcode set", "246810\n").status == 0)
        #expect(try use("add-generic-password -s s", "secret").status == 0)
        let before = try daemon()
        #expect(try install().output.contains("restarted") == false, "nothing is new")
        #expect(try daemon() == before)
        // Another version of a program.
        let appended = try run(URL(filePath: "/bin/sh"), ["-c", "echo >>\"$0\"", programs + "/latchkey"])
        try #require(appended.status == 0)
        let second = try install()
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("restarted"), "\(second.output)")
        #expect(second.output.contains("latchkey unlock"))
        #expect(try daemon() != before)
        #expect(try use("find-generic-password -s s -w").status == 36)
        #expect(try use("unlock", "246810\n").status == 0)
        #expect(try use("find-generic-password -s s -w").output == "secret\n")
    }
}
