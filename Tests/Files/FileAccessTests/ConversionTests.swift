import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag
import Testing

@Suite("Files in clear that become protected ones, and the other way round")
struct ConversionTests {
    private static let piece = 1 << 20

    @Test(
        "keep their content, whatever their size",
        arguments: [0, 1, 4095, 4096, 4097, piece - 1, piece, piece + 1, 2 * piece + 4097])
    func sizes(_ count: Int) throws {
        let folder = try FileFolder()
        let bytes = FileFolder.bytes(count)
        try folder.write(bytes, "f")
        try folder.vault.protect(folder.place("f"), .complete)
        #expect(try folder.isProtected("f"))
        #expect(try StoredProtection.ofItem(at: folder.path("f")) == .complete)
        #expect(try folder.content("f") == bytes)
        try folder.vault.unprotect(folder.place("f"))
        #expect(try folder.stored("f") == bytes)
        #expect(try folder.names() == ["f"])
    }

    @Test("keep permissions, times and attributes of users")
    func rights() throws {
        let folder = try FileFolder()
        try folder.write(FileFolder.bytes(5000), "f")
        try #require(lk_attribute_set(folder.path("f"), "user.colour", "red", 3) == 0)
        try #require(lk_attribute_set(folder.path("f"), "user.latchkey.protection", "x", 1) == 0)
        try #require(chmod(folder.path("f"), 0o640) == 0)
        if geteuid() == 0 { try #require(chown(folder.path("f"), 12345, 54321) == 0) }
        let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 123), timespec(tv_sec: 1_100_000_000, tv_nsec: 456)]
        func expectKept() {
            let found = folder.status("f")
            #expect(found.st_mode & 0o7777 == 0o640)
            #expect(found.st_mtim.tv_sec == times[1].tv_sec && found.st_mtim.tv_nsec == times[1].tv_nsec)
            #expect(found.st_atim.tv_sec == times[0].tv_sec && found.st_atim.tv_nsec == times[0].tv_nsec)
            if geteuid() == 0 { #expect(found.st_uid == 12345 && found.st_gid == 54321) }
            var value = [UInt8](repeating: 0, count: 8)
            #expect(lk_attribute_get(folder.path("f"), "user.colour", &value, 8) == 3)
            #expect(value.starts(with: Array("red".utf8)))
        }
        try #require(utimensat(AT_FDCWD, folder.path("f"), times, 0) == 0)
        try folder.vault.protect(folder.place("f"), .completeUnlessOpen)
        expectKept()
        #expect(lk_attribute_get(folder.path("f"), "user.latchkey.protection", nil, 0) == -Int(ENODATA))
        try folder.vault.setProtection(.complete, of: folder.place("f"))
        expectKept()
        try folder.vault.unprotect(folder.place("f"))
        expectKept()
    }

    @Test("get no rights from the folder that the former file did not have", arguments: [false, true])
    func folderRights(_ isReplaced: Bool) throws {
        let folder = try FileFolder()
        let access = "system.posix_acl_access"
        for name in ["f", "shared"] {
            try folder.write([1, 2, 3], name)
            try #require(chmod(folder.path(name), 0o660) == 0)
        }
        let own = Self.accessList(user: 23456)
        try #require(lk_attribute_set(folder.path("shared"), access, own, own.count) == 0)
        // From now on, new files in the folder are for another user, too.
        let list = Self.accessList(user: 12345)
        try #require(lk_attribute_set(folder.path, "system.posix_acl_default", list, list.count) == 0)
        func expectKept() {
            #expect(folder.status("f").st_mode & 0o777 == 0o660)
            #expect(lk_attribute_get(folder.path("f"), access, nil, 0) == -Int(ENODATA))
            var found = [UInt8](repeating: 0, count: own.count)
            #expect(lk_attribute_get(folder.path("shared"), access, &found, found.count) == own.count)
            #expect(found == own)
        }
        for name in ["f", "shared"] {
            if isReplaced {
                try [UInt8](arrayLiteral: 4, 5).withUnsafeBytes { bytes in
                    try folder.vault.replace(folder.path(name), with: bytes, .complete, permissions: 0o666)
                }
            } else {
                try folder.vault.protect(folder.place(name), .complete)
            }
            #expect(try folder.isProtected(name))
        }
        expectKept()
        guard !isReplaced else { return }
        for name in ["f", "shared"] { try folder.vault.unprotect(folder.place(name)) }
        expectKept()
    }

    /// An access control list as the kernel takes it, by which owner, group and one other user may read and write.
    private static func accessList(user: UInt32) -> [UInt8] {
        let entries: [(tag: UInt16, rights: UInt16, number: UInt32)] = [
            (1, 6, .max), (2, 6, user), (4, 6, .max), (0x10, 6, .max), (0x20, 0, .max),
        ]
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
        return bytes(UInt32(2)) + entries.flatMap { bytes($0.tag) + bytes($0.rights) + bytes($0.number) }
    }

    @Test("leave holes where there are holes")
    func holes() throws {
        let folder = try FileFolder()
        let descriptor = open(folder.path("f"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let size = 16 * Self.piece
        try #require(ftruncate(descriptor, size) == 0)
        try #require(pwrite(descriptor, "middle", 6, 9 * Self.piece + 7) == 6)
        let before = folder.status("f")
        // Nothing is open for writing.
        let readable = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC)
        try #require(dup2(readable, descriptor) == descriptor)
        close(readable)
        try #require(before.st_blocks * 512 < Self.piece)
        var copied = 0
        try folder.vault.protect(folder.place("f"), .complete) { count in
            copied += count
            return true
        }
        #expect(copied < Self.piece, "what is not stored is not read")
        #expect(folder.status("f").st_blocks * 512 < Self.piece)
        try folder.vault.unprotect(folder.place("f"))
        let after = folder.status("f")
        #expect(after.st_size == size)
        #expect(after.st_blocks * 512 < Self.piece)
        let content = try Data(contentsOf: URL(fileURLWithPath: folder.path("f")))
        #expect(content.firstRange(of: Data("middle".utf8))?.lowerBound == 9 * Self.piece + 7)
    }

    @Test("are as they were if the caller wants no more", arguments: [1, 2])
    func cancelled(_ pieces: Int) throws {
        let folder = try FileFolder()
        let bytes = FileFolder.bytes(2 * Self.piece)
        try folder.write(bytes, "f")
        let before = folder.status("f")
        func expectCancelled(_ body: (@escaping (Int) -> Bool) throws(ConversionFailure) -> Void) {
            var count = 0
            do throws(ConversionFailure) {
                try body { _ in
                    count += 1
                    return count < pieces
                }
                Issue.record("not cancelled")
            } catch {
                guard case .cancelled = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
        expectCancelled { (proceed) throws(ConversionFailure) in
            try folder.vault.protect(try! folder.place("f"), .complete, proceed: proceed)
        }
        #expect(folder.status("f").st_ino == before.st_ino)
        #expect(try folder.stored("f") == bytes)
        try folder.vault.protect(folder.place("f"), .complete)
        expectCancelled { (proceed) throws(ConversionFailure) in
            try folder.vault.unprotect(try! folder.place("f"), proceed: proceed)
        }
        #expect(try folder.isProtected("f"))
        #expect(try folder.content("f") == bytes)
        #expect(try folder.names() == ["f"])
    }

    @Test("are left as they are while a program writes them")
    func openForWriting() throws {
        let folder = try FileFolder()
        let bytes = FileFolder.bytes(Self.piece)
        try folder.write(bytes, "f")
        let writer = open(folder.path("f"), O_WRONLY | O_CLOEXEC)
        try #require(writer >= 0)
        #expect(
            Self.failure { () throws(ConversionFailure) in
                try folder.vault.protect(try! folder.place("f"), .complete)
            } == "obstacle(openForWriting)")
        close(writer)
        // One that begins to write meanwhile has to wait, and the copy is given up for it.
        var opened: Int32 = 0
        #expect(
            Self.failure { () throws(ConversionFailure) in
                try folder.vault.protect(try! folder.place("f"), .complete) { _ in
                    opened = open(folder.path("f"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
                    return true
                }
            } == "openForWriting")
        #expect(opened == -1)
        #expect(try folder.stored("f") == bytes)
        #expect(try folder.names() == ["f"])
        let after = open(folder.path("f"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        #expect(after >= 0, "nothing is in the way any more")
        close(after)
    }

    @Test("are not replaced if another file has taken their name meanwhile")
    func replaced() throws {
        let folder = try FileFolder()
        try folder.write(FileFolder.bytes(Self.piece), "f")
        try folder.write([1, 2, 3], "g")
        #expect(
            Self.failure { () throws(ConversionFailure) in
                try folder.vault.protect(try! folder.place("f"), .complete) { _ in
                    rename(folder.path("g"), folder.path("f")) == 0
                }
            } == "changed")
        #expect(try folder.stored("f") == [1, 2, 3])
        #expect(try folder.names() == ["f"])
    }

    @Test("of others can only be given by root")
    func owners() {
        var file = stat()
        file.st_uid = 1000
        file.st_gid = 2000
        func canGive(_ user: uid_t, _ groups: Set<gid_t>) -> Bool {
            FileMaker(user: user, groups: groups).canGive(filesOf: file)
        }
        #expect(canGive(0, [0]))
        #expect(canGive(1000, [1000, 2000]))
        #expect(!canGive(1000, [1000]), "of a group that this user is not in")
        #expect(!canGive(1001, [2000]))
        #expect(FileMaker.current.user == geteuid())
        #expect(FileMaker.current.groups.contains(getegid()))
    }

    @Test("no file is lost that takes the name in the moment of the exchange")
    func replacedInTheMoment() throws {
        let folder = try FileFolder()
        try folder.write([1, 2, 3], "f")
        try folder.write([4, 5], "g")
        let place = try folder.place("f")
        let former = try place.directory.file(place.name)
        var kept: String?
        do {
            let replacement = try FileReplacement(place, former: former, try former.status(), nil)
            replacement.testOnlyAfterExchange = {
                // A program that had the former one open, and one that stores by renaming.
                try? folder.write([1, 2, 3, 4], try! folder.names().first { $0.hasPrefix(".latchkey-swap-") }!)
                rename(folder.path("g"), folder.path("f"))
            }
            do throws(ConversionFailure) {
                try replacement.takePlace()
                Issue.record("not refused")
            } catch {
                guard case .kept(let path) = error else {
                    Issue.record("\(error)")
                    return
                }
                kept = path
            }
        }
        #expect(try folder.stored("f") == [4, 5], "the latest file")
        let name = try #require(kept?.split(separator: "/").last.map(String.init))
        #expect(try folder.stored(name) == [1, 2, 3, 4], "the one that was swapped out")
        #expect(try folder.names() == ["f", name])
    }

    @Test("a file that is changed in the moment of the exchange goes back")
    func changedInTheMoment() throws {
        let folder = try FileFolder()
        try folder.write([1, 2, 3], "f")
        let place = try folder.place("f")
        let number = folder.status("f").st_ino
        let writer = open(folder.path("f"), O_WRONLY | O_CLOEXEC)
        defer { close(writer) }
        do {
            let former = try place.directory.file(place.name)
            let replacement = try FileReplacement(place, former: former, try former.status(), nil)
            replacement.testOnlyAfterExchange = { _ = pwrite(writer, "four", 4, 0) }
            #expect(
                Self.failure { () throws(ConversionFailure) in try replacement.takePlace() } == "changed")
        }
        #expect(folder.status("f").st_ino == number)
        #expect(try folder.stored("f") == Array("four".utf8))
        #expect(try folder.names() == ["f"])
    }

    @Test("with other names, and programs with rights of their own, keep their form")
    func obstacles() throws {
        let folder = try FileFolder()
        try folder.write([1], "f")
        try #require(link(folder.path("f"), folder.path("g")) == 0)
        #expect(
            Self.failure { () throws(ConversionFailure) in
                try folder.vault.protect(try! folder.place("f"), .complete)
            } == "obstacle(otherNames)")
        unlink(folder.path("g"))
        try #require(chmod(folder.path("f"), 0o4755) == 0)
        #expect(
            Self.failure { () throws(ConversionFailure) in
                try folder.vault.protect(try! folder.place("f"), .complete)
            } == "obstacle(programRights)")
        #expect(try folder.stored("f") == [1])
    }

    @Test("what a killed conversion left behind goes, and nothing else")
    func leftovers() throws {
        let folder = try FileFolder()
        try folder.write(FileFolder.bytes(5000), "f")
        let number = folder.status("f").st_ino
        func remove(_ name: String) throws -> String {
            let known = "\(LeftoverFiles.worth(of: try folder.place(name)))"
            let done = "\(LeftoverFiles.remove(try folder.place(name)))"
            return known == done ? done : "\(known), \(done)"
        }
        // The new file before it was swapped in: the former one still has its name.
        let half = ".latchkey-swap-\(number)-half"
        try folder.write([1, 2, 3], half)
        #expect(try remove(half) == "none")
        // The former one after it was swapped out.
        let former = ".latchkey-swap-\(number)-former"
        try #require(link(folder.path("f"), folder.path("keep")) == 0)
        unlink(folder.path("f"))
        try folder.write(FileFolder.bytes(5000), "f")
        var times = [folder.status("keep").st_atim, folder.status("keep").st_mtim]
        try #require(utimensat(AT_FDCWD, folder.path("f"), &times, 0) == 0)
        try folder.vault.protect(folder.place("f"), .complete)
        try #require(rename(folder.path("keep"), folder.path(former)) == 0)
        try #require(folder.status(former).st_ino == number)
        let descriptor = open(folder.path(former), O_RDWR | O_CLOEXEC)
        try #require(lk_file_lock(descriptor, LK_LOCK_SHARED) == 0)
        #expect(try remove(former) == "inUse")
        close(descriptor)
        #expect(try remove(former) == "none")
        // A file whose content may be the only one.
        try folder.write([7], "only")
        let only = ".latchkey-swap-\(folder.status("only").st_ino)-only"
        try #require(rename(folder.path("only"), folder.path(only)) == 0)
        #expect(try remove(only) == "unknown")
        try folder.write([8], ".latchkey-swap-x")
        #expect(try remove(".latchkey-swap-x") == "unknown")
        try folder.write([8], "plain")
        #expect(try remove("plain") == "unknown")
        #expect(try folder.names() == ["f", only, ".latchkey-swap-x", "plain"])
    }

    @Test("are checked, and damage is told with its bytes")
    func check() throws {
        let folder = try FileFolder()
        try folder.write(FileFolder.bytes(100_000), "f")
        try folder.vault.protect(folder.place("f"), .complete)
        var seen = 0
        let whole = try folder.vault.check(folder.place("f")) { count in
            seen += count
            return true
        }
        #expect(whole.isIntact)
        #expect(seen >= 100_000)
        var bytes = try folder.stored("f")
        bytes[5 * 4096 + 17] ^= 1
        try folder.write(bytes, "f")
        let damaged = try folder.vault.check(folder.place("f")).damaged
        #expect(damaged.count == 1)
        #expect(damaged.first.map { $0.upperBound - $0.lowerBound } == 4096)
        #expect(
            Self.failure { () throws(ConversionFailure) in
                _ = try folder.vault.check(try! folder.place("f")) { _ in false }
            } == "cancelled")
        #expect(
            Self.failure { () throws(ConversionFailure) in
                try folder.vault.unprotect(try! folder.place("f"))
            }?.contains("damaged") == true)
        #expect(try folder.stored("f") == bytes, "a damaged file stays for what can be read of it")
    }

    private static func failure(_ body: () throws(ConversionFailure) -> Void) -> String? {
        do throws(ConversionFailure) {
            try body()
            return nil
        } catch {
            return "\(error)".replacing("LatchkeyFileAccess.LeftReason.", with: "")
        }
    }
}
