import LatchkeyCryptoSuite
import Testing

@testable import LatchkeyPeerIdentity

@Suite("An unsigned program has an access group to itself")
struct PrivateAccessGroupTests {
    @Test("the group is made of file name, user and path")
    func form() {
        let group = PeerIdentity.privateAccessGroup(userID: 1000, path: Array("/usr/bin/mail".utf8))
        let text =
            Array("latchkey unsigned program".utf8) + [0] + Array("1000".utf8) + [0] + Array("/usr/bin/mail".utf8)
        let fingerprint = sha256(text).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        #expect(group == "unsigned.mail.\(fingerprint.prefix(20))")
    }

    @Test("the group of a known program never changes, or its items would be lost")
    func stability() {
        let group = PeerIdentity.privateAccessGroup(userID: 0, path: Array("/usr/bin/python3.11".utf8))
        #expect(group == "unsigned.python3.11.ca2d29dba44090dfc68d")
    }

    @Test("other users, other paths and other names have other groups")
    func differences() {
        let groups = [
            PeerIdentity.privateAccessGroup(userID: 1, path: Array("/bin/a".utf8)),
            PeerIdentity.privateAccessGroup(userID: 2, path: Array("/bin/a".utf8)),
            PeerIdentity.privateAccessGroup(userID: 1, path: Array("/bin/b".utf8)),
            PeerIdentity.privateAccessGroup(userID: 1, path: Array("/sbin/a".utf8)),
            PeerIdentity.privateAccessGroup(userID: 1, path: Array("/bin/a (deleted)".utf8)),
            // A path need not be UTF-8; two of those must not look the same.
            PeerIdentity.privateAccessGroup(userID: 1, path: Array("/bin/".utf8) + [0xFF]),
            PeerIdentity.privateAccessGroup(userID: 1, path: Array("/bin/".utf8) + [0xFE]),
        ]
        #expect(Set(groups).count == groups.count)
    }
}
