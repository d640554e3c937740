import Glibc
import Testing

@testable import LatchkeyPeerIdentity

@Suite("A path that means nothing here names no program")
struct PathTrustTests {
    private func identity(_ path: String, inode: UInt64 = 7, isPathKnown: Bool) -> PeerIdentity {
        PeerIdentity(
            processID: 1, userID: 1000, groupID: 1000,
            executable: ExecutableFile(device: 3, inode: inode, path: Array(path.utf8), isPathKnown: isPathKnown),
            record: ProcessRecord(startTime: 1, startStack: 1))
    }

    @Test("a program of another mount namespace gets no group that a path of this one has")
    func otherGroups() {
        let known = identity("/usr/bin/mail", isPathKnown: true)
        let disguised = identity("/usr/bin/mail", isPathKnown: false)
        #expect(known.privateAccessGroup == PeerIdentity.privateAccessGroup(userID: 1000, path: known.executable.path))
        #expect(disguised.privateAccessGroup != known.privateAccessGroup)
        #expect(disguised.privateAccessGroup.hasPrefix("unsigned.elsewhere.mail."))
        #expect(
            identity("/usr/bin/mail", inode: 8, isPathKnown: false).privateAccessGroup != disguised.privateAccessGroup)
    }

    @Test("a program called elsewhere.mail has no group that looks like one of a mail elsewhere")
    func nameOfMark() {
        let named = identity("/home/u/elsewhere.mail", isPathKnown: true)
        #expect(named.privateAccessGroup.hasPrefix("unsigned.elsewhere%2Email."))
        // The sign of the escape is escaped itself: each name has a spelling of its own.
        let escaped = identity("/home/u/elsewhere%2Email", isPathKnown: true)
        #expect(escaped.privateAccessGroup.hasPrefix("unsigned.elsewhere%252Email."))
        let marked = identity("/home/u/elsewhere.\u{301}mail", isPathKnown: true)
        #expect(marked.privateAccessGroup.utf8.starts(with: "unsigned.elsewhere%2E".utf8))
        let both = identity("/home/u/elsewhere.mail", isPathKnown: false)
        #expect(both.privateAccessGroup.hasPrefix("unsigned.elsewhere.elsewhere.mail."))
        #expect(
            identity("/home/u/elsewhere", isPathKnown: true).privateAccessGroup.hasPrefix("unsigned.elsewhere."))
    }

    @Test("what a group is made of cannot be moved from one part to the next")
    func separation() {
        // A path of this namespace that spells out what the other kind of group is made of.
        let path = "latchkey unsigned program elsewhere"
        #expect(
            PeerIdentity.privateAccessGroup(userID: 1000, path: Array(path.utf8))
                != identity(path, isPathKnown: false).privateAccessGroup)
    }
}
