import Foundation
import LatchkeyTestSupport
import Testing

/// `Packaging/ci/run`, the steps of the action for hosted CI.
@Suite("Steps of hosted CI")
struct HostedTests {
    /// A clone of the project in which only what is named is real, and make notes that it was called.
    private let clone: TemporaryDirectory

    init() throws {
        clone = try TemporaryDirectory()
        for (path, text) in [
            (
                "bin/make",
                "#!/bin/sh\nmkdir -p \"$2/.build/latchkey-kit\"\necho \"$*\" >>\"$2/calls\"\ntouch \"$2/.build/latchkey-kit/kit.json\"\n"
            ),
            ("bin/swiftc", "#!/bin/sh\ncat \"${0%/*}/compiler\"\n"),
            ("bin/compiler", "Swift version 6.3.1 (swift-6.3.1-RELEASE)\n"),
            ("Scripts/install-packages", "#!/bin/sh\n"), ("Package.swift", "// 1\n"), ("Sources/a.swift", "// 1\n"),
            (".build/programs/latchkey", "#!/bin/sh\necho \"latchkey $* in $PWD with $LATCHKEY_KIT\"\n"),
        ] {
            try write(path, text)
        }
        let script = try String(contentsOfFile: Installation.repositoryFile("Packaging/ci/run"), encoding: .utf8)
        try write("Packaging/ci/run", script)
    }

    private func write(_ path: String, _ text: String) throws {
        let written = try run(
            URL(filePath: "/bin/sh"),
            ["-c", "mkdir -p \"${0%/*}\" && cat >\"$0\" && chmod 755 \"$0\"", clone.path(path)],
            input: Data(text.utf8))
        try #require(written.status == 0, "\(written.errors)")
    }

    private func step(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Ending {
        try run(
            URL(filePath: clone.path("Packaging/ci/run")), arguments,
            environment: ["PATH": clone.path("bin") + ":/usr/bin:/bin"].merging(environment) { $1 })
    }

    private var calls: Int {
        ((try? String(contentsOfFile: clone.path("calls"), encoding: .utf8)) ?? "").split(separator: "\n").count
    }

    @Test("what a cache brought is used if compiler, system and sources are the same, and built anew if not")
    func cache() throws {
        let first = try step(["setup"])
        #expect(first.status == 0 && calls == 1, "\(first.errors)")
        #expect(try step(["setup"]).status == 0 && calls == 1, "it was there")
        let key = try step(["key"]).output
        #expect(key.contains("-6.3.1-") && key.contains(clone.path(".build/latchkey-kit")))
        try write("Sources/a.swift", "// 2\n")
        #expect(try step(["key"]).output != key)
        #expect(try step(["setup"]).status == 0 && calls == 2)
        try write("bin/compiler", "Swift version 6.4 (swift-6.4-RELEASE)\n")
        #expect(try step(["setup"]).status == 0 && calls == 3)
    }

    @Test("later steps find the programs and the kit; tests get the arguments as they are")
    func laterSteps() throws {
        try write("path", "")
        try write("environment", "")
        let files = ["GITHUB_PATH": clone.path("path"), "GITHUB_ENV": clone.path("environment")]
        #expect(try step(["setup"], files).status == 0)
        #expect(try String(contentsOfFile: clone.path("path"), encoding: .utf8) == clone.path(".build/programs") + "\n")
        #expect(
            try String(contentsOfFile: clone.path("environment"), encoding: .utf8)
                == "LATCHKEY_KIT=" + clone.path(".build/latchkey-kit") + "\n")
        let tested = try step(["test", "--filter", "a b"])
        #expect(tested.output.hasPrefix("latchkey swift test --filter a b in "), "\(tested.output)\(tested.errors)")
        #expect(tested.output.contains("with " + clone.path(".build/latchkey-kit")))
        #expect(try step(["other"]).status == 64)
        try write("bin/compiler", "")
        #expect(try step(["key"]).errors.contains("Swift 6.3"))
    }
}
