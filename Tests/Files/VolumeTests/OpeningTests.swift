import Glibc
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEncoding
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import SecurityTesting
import Testing

@testable import LatchkeyVolume

@Suite("Opening a volume")
struct OpeningTests {
    private let stage: VolumeStage
    private let description: String

    init() throws {
        stage = try VolumeStage(.complete)
        try stage.volume.store("f", "text")
        description = stage.storage + "/latchkey-volume"
    }

    /// The reason for which the volume does not open; nil if it does.
    private func failure(_ keychain: (any Keychain)? = nil, isReadOnly: Bool = false) -> Volume.OpeningFailure? {
        do throws(Volume.OpeningFailure) {
            _ = try Volume(storedIn: stage.storage, keychain ?? stage.keychain, isReadOnly: isReadOnly)
            return nil
        } catch {
            return error
        }
    }

    private func descriptionFailure() -> VolumeDescription.Failure? {
        if case .description(let reason) = failure() { reason } else { nil }
    }

    @Test("a description with any byte altered is refused")
    func altered() throws {
        stage.close()
        let bytes = try StoredFile.bytes(description)
        #expect(bytes.count == VolumeDescription.byteCount)
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 0x40
            try StoredFile.write(altered, to: description)
            #expect(descriptionFailure() == (index < 4 ? .notAVolume : .damaged), "byte \(index)")
        }
        try StoredFile.write(bytes, to: description)
        #expect(descriptionFailure() == nil)
    }

    @Test("a description of another length is refused", arguments: [0, 1, 4, 32, 511, 513, 100_000])
    func lengths(_ count: Int) throws {
        stage.close()
        let bytes = try StoredFile.bytes(description) + [UInt8](repeating: 0, count: 100_000)
        try StoredFile.write(Array(bytes[..<count]), to: description)
        #expect(descriptionFailure() == (count < 4 ? .notAVolume : .damaged))
    }

    /// A link or a directory in its place, and an error of the disk: reading at the start of the memory of a process is one.
    @Test("what keeps a description from being read is named, and is not damage")
    func unreadable() throws {
        stage.close()
        let bytes = try StoredFile.bytes(description)
        func obstacle() -> StorageObstacle? {
            guard case .unreadable(let obstacle)? = descriptionFailure() else { return nil }
            return obstacle
        }
        try #require(unlink(description) == 0 && symlink("elsewhere", description) == 0)
        #expect(obstacle() == .system(ELOOP))
        try #require(unlink(description) == 0 && mkdir(description, 0o700) == 0)
        #expect(obstacle() == .system(EISDIR))
        try #require(rmdir(description) == 0)
        try StoredFile.write(bytes, to: description)
        if SmallDisk.isAvailable {
            try #require(mount("/proc/self/mem", description, nil, UInt(MS_BIND), nil) == 0)
            defer { umount2(description, Int32(MNT_DETACH)) }
            #expect(obstacle() == .system(EIO))
            let reason = failure()?.reason ?? ""
            #expect(reason.contains("dmesg") && reason.contains("Nothing is known to be damaged"), "\(reason)")
            #expect(!reason.contains("backup"), "\(reason)")
        }
        #expect(descriptionFailure() == nil)
    }

    /// The limit belongs to the process, so it is changed in one of its own.
    @Test("a description for which no descriptor is left is not damaged")
    func descriptorsInOwnProcess() async throws {
        stage.close()
        await #expect(processExitsWith: .success) { [storage = stage.storage as String] in
            var former = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former) == 0)
            var limit = former
            limit.rlim_cur = 256
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            // Room for the directory, and for nothing after it. Other threads of the process may close files meanwhile.
            var obstacle: StorageObstacle?
            for _ in 0..<100 where obstacle == nil {
                var last: Int32 = -1
                while case let next = open("/dev/null", O_RDONLY), next >= 0 { last = next }
                close(last)
                obstacle = Self.obstacle(storedIn: storage)
            }
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former) == 0)
            #expect(obstacle == .system(EMFILE))
        }
    }

    /// The user belongs to the process. Another one than root may not pass the directories above: the path is relative.
    @Test("a description without permission is not damaged")
    func permissionInOwnProcess() async throws {
        stage.close()
        await #expect(processExitsWith: .success) { [storage = stage.storage as String] in
            try #require(chdir(storage) == 0 && chmod("latchkey-volume", 0) == 0)
            if getuid() == 0 { try #require(chown(".", 65534, 65534) == 0 && seteuid(65534) == 0) }
            #expect(Self.obstacle(storedIn: ".") == .system(EACCES))
        }
    }

    private static func obstacle(storedIn storage: String) -> StorageObstacle? {
        do throws(Volume.OpeningFailure) {
            _ = try Volume.description(storedIn: storage)
        } catch .description(.unreadable(let obstacle)) {
            return obstacle
        } catch {}
        return nil
    }

    /// With a checksum that fits.
    private func write(_ change: (inout [UInt8]) -> Void) throws {
        stage.close()
        var bytes = Array(try StoredFile.bytes(description).dropLast(16))
        change(&bytes)
        try StoredFile.write(bytes + sha256(bytes).prefix(16), to: description)
    }

    @Test("a later version is told from damage")
    func newerVersion() throws {
        try write { $0[7] = 2 }
        #expect(descriptionFailure() == .newerVersion(2))
        guard case let failure? = failure() else { return }
        #expect(failure.reason.contains("format 2"))
    }

    @Test("values that no version writes are refused", arguments: [(24, 0), (24, 5), (24, 255), (26, 2), (27, 255)])
    func values(_ index: Int, _ value: UInt8) throws {
        try write { $0[index] = value }
        if index == 27 {
            // A longer key, which no device opens.
            guard case .access(.refused(.keyNotHere))? = failure() else {
                Issue.record("\(String(describing: failure()))")
                return
            }
        } else {
            #expect(descriptionFailure() == .damaged)
        }
    }

    @Test("an identifier or key of another volume is refused")
    func otherKey() throws {
        try write { $0[8] ^= 1 }
        guard case .access(.refused(.keyNotHere))? = failure() else {
            Issue.record("\(String(describing: failure()))")
            return
        }
    }

    @Test("another device does not open it, and says why")
    func otherDevice() throws {
        stage.close()
        let other = try VirtualDevice()
        let keychain = try other.run { try CurrentKeychain.keychain() }
        let refused = try #require(failure(keychain))
        guard case .access(.refused(.keyNotHere)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(refused.reason.contains("another device"))
        #expect(failure().map { "\($0)" } == nil)
    }

    @Test("one process writes it, or several read it")
    func servers() throws {
        func isInUse(_ isReadOnly: Bool) -> Bool {
            if case .inUse? = failure(isReadOnly: isReadOnly) { true } else { false }
        }
        #expect(isInUse(false) && isInUse(true))
        #expect(Volume.isServed(storedIn: stage.storage))
        stage.close()
        #expect(!Volume.isServed(storedIn: stage.storage))
        try stage.open(isReadOnly: true)
        #expect(isInUse(false) && !isInUse(true))
        stage.close()
        #expect(!isInUse(false))
    }

    @Test("read-only, it changes nothing")
    func readOnly() throws {
        try stage.volume.makeDirectory("d")
        stage.close()
        let before = try StoredFile.bytes(try StoredFile.only(in: stage.storage + "/content"))
        try stage.open(isReadOnly: true)
        let volume = stage.volume
        #expect(try volume.text("f") == "text")
        #expect(try volume.names() == ["d", "f"])
        let number = try volume.number("f")
        let attempts: [() throws -> Void] = [
            { try volume.open(number, flags: O_RDWR) },
            { try volume.open(number, flags: O_WRONLY | O_TRUNC) },
            { try volume.make("new") }, { try volume.makeDirectory("new") }, { try volume.remove("f") },
            { try volume.removeDirectory("d") }, { try volume.move("f", to: "g") },
            { _ = try volume.link(number, Volume.rootNumber, EntryName([97])) },
            { _ = try volume.makeLink(Volume.rootNumber, EntryName([97]), to: [97], by: Volume.caller) },
            {
                _ = try volume.makeSpecial(
                    Volume.rootNumber, EntryName([97]), mode: UInt32(S_IFIFO) | 0o600, device: 0, by: Volume.caller)
            },
            { _ = try volume.setAttributes(number, AttributeChanges()) },
            { try volume.setExtendedAttribute(number, Array("user.a".utf8), [1], flags: 0) },
            { try volume.removeExtendedAttribute(number, Array("user.a".utf8)) },
        ]
        for (index, attempt) in attempts.enumerated() {
            #expect(throws: VolumeFailure(EROFS), "attempt \(index)") { try attempt() }
        }
        try volume.open(number, flags: O_RDONLY)
        #expect(throws: VolumeFailure(EROFS)) { try volume.write(number, [1]) }
        volume.release(number)
        stage.close()
        #expect(try StoredFile.bytes(StoredFile.only(in: stage.storage + "/content")) == before)
    }

    @Test("only an empty directory becomes a volume")
    func creating() throws {
        func failure(_ path: String) -> Volume.OpeningFailure? {
            do throws(Volume.OpeningFailure) {
                try Volume.create(in: path, stage.keychain, defaultProtection: .complete)
                return nil
            } catch {
                return error
            }
        }
        let other = stage.beside("other")
        guard case .system(ENOENT)? = failure(other) else {
            Issue.record("a missing directory")
            return
        }
        try #require(mkdir(other, 0o700) == 0)
        try StoredFile.write([1], to: other + "/file")
        guard case .notEmpty? = failure(other) else {
            Issue.record("a file is there")
            return
        }
        guard case .system(ENOTDIR)? = failure(other + "/file") else {
            Issue.record("a file")
            return
        }
        guard case .notEmpty? = failure(stage.storage) else {
            Issue.record("a volume is there")
            return
        }
        try #require(unlink(other + "/file") == 0)
        #expect(failure(other).map { "\($0)" } == nil)
        #expect(try Volume.description(storedIn: other).defaultProtection == .complete)
    }

    @Test("a stored file that a crash left empty is an empty file of the class of its directory")
    func emptyStoredFile() throws {
        let stored = try stage.stored("f")
        stage.close()
        try #require(truncate(stored, 0) == 0)
        try stage.open()
        #expect(try stage.volume.text("f") == "")
        let number = try stage.volume.number("f")
        #expect(stage.volume.protectionOf(number) == .complete)
        try stage.volume.open(number, flags: O_RDWR)
        try stage.volume.write(number, [65])
        stage.volume.release(number)
        try stage.reopen()
        #expect(try stage.volume.text("f") == "A")
        stage.close()
        try #require(truncate(stored, 0) == 0)
        try stage.open(isReadOnly: true)
        #expect(try stage.volume.text("f") == "")
        #expect(try stage.volume.attributes(try stage.volume.number("f")).status.st_size == 0)
        #expect(throws: VolumeFailure(EROFS)) {
            try stage.volume.open(try stage.volume.number("f"), flags: O_RDWR)
        }
        stage.close()
        #expect(try StoredFile.bytes(stored) == [], "nothing was written")
        try stage.open()
        #expect(try stage.volume.text("f") == "")
    }
}

extension Volume {
    func protectionOf(_ number: UInt64) -> FileProtection? { (try? node(number))?.protection }
}

extension StoredFile {
    /// The one regular file in a directory.
    static func only(in directory: String) throws -> String {
        let backing = try BackingDirectory(path: directory)
        let files = try backing.entries().filter { $0.type == UInt8(DT_REG) }
        try #require(files.count == 1)
        return directory + "/" + String(decoding: files[0].name.bytes, as: UTF8.self)
    }
}
