import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@testable import LatchkeyPeerIdentity

@Suite("Libraries of a protected program come from where only root can write")
struct SystemFilesTests {
    @Test("the system's own places are safe", arguments: ["/usr/lib", "/lib", "/usr/lib/none-of-this-name", "/lib64"])
    func safe(path: String) {
        #expect(SystemFiles.isSafe(path))
    }

    @Test(
        "relative, other and disguised places are not",
        arguments: [
            "", "lib", ".", "$ORIGIN/../lib", "/usr/lib/$ORIGIN", "/tmp", "/home/x/lib", "/usr/lib/../../tmp",
            "/usrlib",
            "/var/lib",
        ])
    func unsafe(path: String) {
        #expect(!SystemFiles.isSafe(path))
    }

    @Test("the loader itself drops $ORIGIN from the run path of a setgid program, and nothing else of that kind")
    func origin() {
        #expect(SystemFiles.areSafe(runPaths: ["$ORIGIN", "/usr/lib"], loadPaths: []))
        #expect(!SystemFiles.areSafe(runPaths: ["$ORIGIN/lib"], loadPaths: []))
        #expect(!SystemFiles.areSafe(runPaths: [""], loadPaths: []))
        #expect(!SystemFiles.areSafe(runPaths: [], loadPaths: ["$ORIGIN"]))
    }

    @Test(
        "a directory below a safe place that others can write is not safe, nor a link that leads out of it",
        .needsRoot(to: "make a directory below /opt"))
    func writable() throws {
        let directory = "/opt/latchkey-test-\(UUID())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try #require(mkdir(directory, 0o755) == 0)
        #expect(SystemFiles.isSafe(directory))
        try #require(symlink("/tmp", directory + "/link") == 0)
        #expect(!SystemFiles.isSafe(directory + "/link"))
        #expect(!SystemFiles.isSafe(directory + "/link/lib"))
        try #require(chmod(directory, 0o777) == 0)
        #expect(!SystemFiles.isSafe(directory))
        #expect(!SystemFiles.isSafe(directory + "/not-there-yet"))
        // As a character, the slash before the mark is another one.
        #expect(!SystemFiles.isSafe(directory + "/\u{301}lib"))
        try #require(chmod(directory, 0o755) == 0)
        try #require(chown(directory, 65534, 0) == 0)
        #expect(!SystemFiles.isSafe(directory))
    }
}
