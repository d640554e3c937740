import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// `Scripts/install-packages` for a user who is not root, with a package manager that has nothing installed.
@Suite("Installing the packages that building needs")
struct PackageListTests {
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
        try #require(chmod(place.path, 0o755) == 0)
    }

    private func program(_ name: String, _ lines: String) throws {
        // By another process: a file that was just written cannot always be run while others are started.
        let written = try run(
            URL(filePath: "/bin/sh"), ["-c", "umask 022; cat >\"$0\" && chmod 755 \"$0\"", place.path(name)],
            input: Data("#!/bin/sh\n\(lines)\n".utf8))
        try #require(written.status == 0, "\(written.errors)")
    }

    /// Runs the script. It is read from standard input, because another user may not be able to open the clone.
    private func install() throws -> Ending {
        try program("swift", "echo 'Swift version 6.3'")
        try program("dpkg-query", "exit 1")
        try program("apt-get", "echo \"called: $*\" >&2")
        let script = try Data(contentsOf: PackageFolder.file("Scripts/install-packages"))
        let user = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : ["env"]
        return try run(
            URL(filePath: "/usr/bin/env"), user + ["/bin/bash", "-s", "site"], input: script,
            environment: ["PATH": "\(place.path):/usr/bin:/bin", "HOME": place.path])
    }

    @Test("a user whom sudo refuses is told what is missing, and the command for root")
    func refused() throws {
        try program("sudo", "echo \"sudo $*: not in the sudoers file\" >&2; exit 1")
        let ending = try install()
        #expect(ending.status == 1)
        #expect(ending.errors.contains("only root can install them: binutils git "), "\(ending.errors)")
        #expect(ending.errors.contains("Have root run this, and try again: apt-get install binutils git "))
        #expect(ending.errors.contains(" cmark-gfm python3\n"))
        #expect(!ending.errors.contains("called:"))
    }

    @Test("a user whom sudo lets is asked before anything is hidden, and gets the packages")
    func allowed() throws {
        try program("sudo", "if [ \"$1\" = -v ]; then echo asked >&2; else exec \"$@\"; fi")
        let ending = try install()
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors == "asked\n")
        #expect(ending.output.hasPrefix("Installing the Debian packages that are missing: binutils git "))
    }
}
