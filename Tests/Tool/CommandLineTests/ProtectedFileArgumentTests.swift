import ArgumentParser
import LatchkeyCommandLineTool
import LatchkeyKeybag
import Testing

@Suite("Protected files on the command line")
struct ProtectedFileArgumentTests {
    private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    @Test(
        "classes by every name that people know",
        arguments: [
            ("complete", FileProtection.complete), ("A", .complete), ("a", .complete),
            ("NSFileProtectionComplete", .complete), ("completeFileProtection", nil),
            ("unless-open", .completeUnlessOpen), ("completeUnlessOpen", .completeUnlessOpen),
            ("complete-unless-open", .completeUnlessOpen), ("B", .completeUnlessOpen),
            ("until-first-unlock", .completeUntilFirstUserAuthentication), ("c", .completeUntilFirstUserAuthentication),
            ("completeUntilFirstUserAuthentication", .completeUntilFirstUserAuthentication),
            ("NSFileProtectionCompleteUntilFirstUserAuthentication", .completeUntilFirstUserAuthentication),
            ("none", FileProtection.none), ("D", FileProtection.none), ("NSFileProtectionNone", FileProtection.none),
            ("", nil), ("-", nil), ("e", nil), ("NSFileProtection", nil), ("completecomplete", nil),
            ("unlessopen ", nil),
        ])
    func names(_ text: String, _ protection: FileProtection?) {
        #expect(FileClassName.protection(from: text) == protection)
    }

    @Test("each class has a name of its own, which leads back to it")
    func roundTrip() {
        for protection in FileProtection.allCases {
            #expect(FileClassName.protection(from: FileClassName.readable(protection)) == protection)
        }
        #expect(Set(FileProtection.allCases.map(FileClassName.readable)).count == 4)
    }

    @Test(
        "command lines that parse",
        arguments: [
            "file class f", "file class f g --json", "file class --set B f", "file class -- -f", "file cat f",
            "file cat f -o g --json", "file protect d --class complete", "file protect d --class A -n",
            "file protect d --class none --reclass --yes --quiet", "file unprotect d --yes", "file unprotect d -n",
            "file check d -q --json", "file check d --passcode-fd 3",
        ])
    func parses(_ line: String) throws {
        try ArgumentGuard.refuseSecrets(in: Self.words(line))
        _ = try Latchkey.parseAsRoot(Self.words(line))
    }

    @Test(
        "command lines that do not, with what the message names",
        arguments: [
            ("file class", "paths"), ("file class f --set nonsense", "nonsense"), ("file protect d", "--class"),
            ("file protect --class complete", "tree"), ("file protect d e --class complete", "e"),
            ("file cat f --json", "--output"), ("file cat", "file"), ("file check", "tree"),
        ])
    func doesNotParse(_ line: String, _ named: String) {
        do {
            _ = try Latchkey.parseAsRoot(Self.words(line))
            Issue.record("it parses")
        } catch {
            #expect(Latchkey.message(for: error).contains(named), "\(Latchkey.message(for: error))")
        }
    }

    @Test(
        "the classes that open and can be made in each lock state",
        arguments: [
            (LockState.noPasscode, "ABCD", "ABCD"), (.unlocked, "ABCD", "ABCD"), (.locked, "CD", "BCD"),
            (.beforeFirstUnlock, "D", "BD"),
        ])
    func availability(_ state: LockState, _ open: String, _ created: String) {
        let availability = FileAvailability(state)
        let rows = FileClassName.table
        #expect(rows.filter { availability.canOpen($0.protection) }.map(\.letter).joined() == open)
        #expect(rows.filter { availability.canCreate($0.protection) }.map(\.letter).joined() == created)
    }

    @Test("volumes are found in the kernel's list of mounts")
    func volumes() {
        let text = #"""
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            40 22 0:40 / /home/a/my\040files\134x rw,nosuid,nodev - fuse.latchkey latchkey rw,user_id=0
            41 22 0:41 / /other rw shared:5 master:2 - fuse.sshfs fuse.latchkey rw
            42 22 0:42 / /second rw shared:5 master:2 - fuse.latchkey - rw
            43 22 - fuse.latchkey
            nonsense
            """#
        #expect(MountedVolume.parse(text.utf8).map(\.mountPoint) == [#"/home/a/my files\x"#, "/second"])
        #expect(MountedVolume.parse("".utf8).isEmpty)
    }

    @Test("a table of the kernel that is longer than a page is read to its end")
    func kernelTable() throws {
        // This process has hundreds of mappings; the last ones are the kernel's.
        let table = try #require(BoundedFile.text("/proc/self/maps", limit: 32 << 20))
        #expect(table.utf8.count > 8192 && table.contains("[stack]") && table.hasSuffix("\n"))
        #expect(BoundedFile.text("/proc/self/maps", limit: 5000)?.utf8.count == 5000)
    }
}
