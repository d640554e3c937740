import Testing

@testable import LatchkeyPeerIdentity

@Suite("A path counts only if the mount that it leads over is one of this process's own")
struct MountTableTests {
    @Test(
        "the number of a mount stands in the description of a descriptor",
        arguments: [
            ("pos:\t0\nflags:\t02100000\nmnt_id:\t29\nino:\t123\n", UInt64(29)), ("mnt_id:\t7", 7),
            ("pos:\t0\nflags:\t0\n", nil), ("mnt_id:\tx\n", nil), ("", nil),
        ] as [(String, UInt64?)])
    func numbers(text: String, number: UInt64?) {
        #expect(MountTable.mountNumber(fileDescription: text) == number)
    }

    @Test("a mount is found by its own number, not by its parent's or a part of it")
    func lists() {
        let table = """
            21 1 8:1 / / rw,relatime - ext4 /dev/root rw
            130 21 0:33 / /proc rw - proc proc rw
            """
        #expect(MountTable.isListed(21, mounts: table))
        #expect(MountTable.isListed(130, mounts: table))
        for number: UInt64 in [1, 3, 13, 30, 8, 0] { #expect(!MountTable.isListed(number, mounts: table)) }
        #expect(!MountTable.isListed(21, mounts: ""))
    }

    @Test("the type of a file system stands behind the dash, whatever stands before")
    func types() {
        let table = """
            21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
            22 21 0:40 / /a\\040-\\040b rw - fuse.latchkey /store rw
            23 21 0:41 / /x rw shared:2 master:3 propagate_from:2 - fuseblk /dev/sdb1 rw
            24 21 0:42 / /- rw - tmpfs - rw
            25 21 0:43 / /cut rw
            """
        let types = [21: "ext4", 22: "fuse.latchkey", 23: "fuseblk", 24: "tmpfs", 25: nil, 2: nil] as [UInt64: String?]
        for (number, type) in types { #expect(MountTable.fileSystemType(number, mounts: table) == type, "\(number)") }
    }
}
