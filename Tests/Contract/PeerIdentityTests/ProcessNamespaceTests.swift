import CLatchkeyShims
import Glibc
import Testing

@testable import LatchkeyPeerIdentity

@Suite("The pid namespace of a process tells whether others can speak in its name")
struct ProcessNamespaceTests {
    @Test(
        "the numbers of a process are read from its record",
        arguments: [
            ("Name:\tx\nNSpid:\t17\nNSpgid:\t1\n", [17]), ("Pid:\t17\nNSpid:\t17\t1\n", [17, 1]),
            ("Pid:\t-1\nNSpid:\t-1\n", [-1]), ("NSpid:\t0\n", [0]), ("NSpid:\tx\n", [0]), ("Pid:\t17\n", []), ("", []),
        ] as [(String, [Int32])])
    func numbers(text: String, numbers: [Int32]) {
        #expect(ProcessNamespace.numbers(inRecord: text) == numbers)
    }

    @Test("this process has its own namespace, by number and by descriptor")
    func own() throws {
        #expect(try ProcessNamespace.isOwn(ofProcess: getpid(), processDescriptor: -1))
        let descriptor = lk_pidfd_open(getpid())
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        #expect(try ProcessNamespace.isOwn(ofProcess: getpid(), processDescriptor: descriptor))
        #expect(try PeerIdentity.ofThisProcess().sharesNamespace)
    }

    private func identity(_ path: String, sharesNamespace: Bool, isPathKnown: Bool = true) -> PeerIdentity {
        PeerIdentity(
            processID: 1, userID: 1000, groupID: 1000,
            executable: ExecutableFile(device: 3, inode: 7, path: Array(path.utf8), isPathKnown: isPathKnown),
            sharesNamespace: sharesNamespace, record: ProcessRecord(startTime: 1, startStack: 1))
    }

    @Test("an unsigned program of another pid namespace has the group of no program outside of it")
    func groups() {
        let contained = identity("/usr/bin/mail", sharesNamespace: false)
        #expect(contained.privateAccessGroup.hasPrefix("unsigned.elsewhere.mail."))
        let others = [
            identity("/usr/bin/mail", sharesNamespace: true),
            identity("/usr/bin/mail", sharesNamespace: true, isPathKnown: false),
        ]
        #expect(!others.map(\.privateAccessGroup).contains(contained.privateAccessGroup))
        // A mount namespace beside it changes nothing.
        let both = identity("/usr/bin/mail", sharesNamespace: false, isPathKnown: false)
        #expect(both.privateAccessGroup == contained.privateAccessGroup)
    }
}
