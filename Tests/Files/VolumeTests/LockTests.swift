import Glibc
import LatchkeyKeybag
import LatchkeyTestSupport
import SecurityTesting
import Synchronization
import Testing

@testable import LatchkeyVolume

@Suite("A volume follows the lock of its device")
struct LockTests {
    private let stage: VolumeStage
    private var volume: Volume { stage.volume }
    private var device: VirtualDevice { stage.device }

    init() throws {
        stage = try VolumeStage()
        stage.follow()
    }

    enum Lock: CaseIterable { case locked, restarted }

    struct Row: Sendable, CustomTestStringConvertible {
        let protection: FileProtection
        let lock: Lock
        /// A file that was closed before.
        let opens: Bool
        let creates: Bool
        /// A handle that was opened before.
        let usesHandle: Bool

        init(_ protection: FileProtection, _ lock: Lock, opens: Bool, creates: Bool, usesHandle: Bool) {
            (self.protection, self.lock, self.opens, self.creates) = (protection, lock, opens, creates)
            self.usesHandle = usesHandle
        }

        var testDescription: String { "\(protection.rawValue), \(lock)" }
    }

    /// Apple Platform Security, "Data Protection classes".
    static let rows = [
        Row(.complete, .locked, opens: false, creates: false, usesHandle: false),
        Row(.complete, .restarted, opens: false, creates: false, usesHandle: false),
        Row(.completeUnlessOpen, .locked, opens: false, creates: true, usesHandle: true),
        Row(.completeUnlessOpen, .restarted, opens: false, creates: true, usesHandle: true),
        Row(.completeUntilFirstUserAuthentication, .locked, opens: true, creates: true, usesHandle: true),
        Row(.completeUntilFirstUserAuthentication, .restarted, opens: false, creates: false, usesHandle: false),
        Row(.none, .locked, opens: true, creates: true, usesHandle: true),
        Row(.none, .restarted, opens: true, creates: true, usesHandle: true),
    ]

    @Test("an operation that fails leaves no file of class B open for the time of a lock")
    func failedOperation() throws {
        try volume.store("f", "text", protection: .completeUnlessOpen)
        try stage.reopen()
        stage.follow()
        let number = try volume.number("f")
        #expect(throws: VolumeFailure(EFBIG)) { _ = try volume.setAttributes(number, Self.cut(to: 1 << 50)) }
        try device.lock()
        eventually { Self.isRefused { _ = try volume.text("f") } }
        #expect(Self.isRefused { _ = try volume.text("f") })
    }

    @Test("a file is emptied by an opening for reading that says so")
    func emptiedByReader() throws {
        let number = try volume.store("f", "text")
        try volume.open(number, flags: O_RDONLY | O_TRUNC)
        volume.release(number)
        #expect(try volume.text("f") == "")
        try stage.reopen()
        #expect(try volume.text("f") == "")
    }

    @Test("each class can be opened, made and used as Apple documents", arguments: rows)
    func table(_ row: Row) throws {
        try volume.store("closed", "closed", protection: row.protection)
        let handle = try volume.make("open", "open", protection: row.protection)
        try volume.write(handle, Array("OPEN".utf8))
        // The next file of this class is prepared now, and is not to be made under the lock.
        volume.tidy()
        switch row.lock {
        case .locked: try device.lock()
        case .restarted: try device.reboot()
        }
        // The files of this process hear of it a moment later, and with them the keys that were made ahead.
        if !row.opens { eventually { Self.isRefused { _ = try volume.text("closed") } } }
        if !row.creates {
            eventually { Self.isRefused { try volume.make("unmade\(UInt64.random())", protection: row.protection) } }
        }
        if !row.usesHandle { eventually { Self.isRefused { _ = try volume.read(handle) } } }

        if row.opens { #expect(try volume.text("closed") == "closed") }
        if row.usesHandle {
            try volume.write(handle, Array("used".utf8))
            #expect(try volume.read(handle) == Array("used".utf8))
        } else {
            #expect(throws: VolumeFailure(EPERM)) { try volume.write(handle, [1]) }
            #expect(throws: VolumeFailure(EPERM)) { try volume.open(handle, flags: O_RDONLY) }
            #expect(throws: VolumeFailure(EPERM)) { _ = try volume.setAttributes(handle, Self.cut(to: 1)) }
        }
        if row.creates {
            let new = try volume.make("new", "new", protection: row.protection)
            #expect(try volume.read(new) == Array("new".utf8))
            try volume.flush(new)
            volume.release(new)
            if !row.opens { #expect(throws: VolumeFailure(EPERM)) { try volume.text("new") } }
        }
        // Attributes need no key of a file.
        #expect(try volume.attributes(volume.number("closed")).status.st_size == 6)
        #expect(try volume.names().contains("closed"))

        try device.unlock("1234")
        #expect(try volume.text("closed") == "closed")
        #expect(try volume.read(handle) == Array((row.usesHandle ? "used" : "OPEN").utf8), "the handle goes on")
        if row.creates { #expect(try volume.text("new") == "new") }
        volume.release(handle)
        try stage.reopen()
        #expect(try volume.text("open") == (row.usesHandle ? "used" : "OPEN"))
    }

    private static func cut(to size: UInt64) -> AttributeChanges {
        var changes = AttributeChanges()
        changes.size = size
        return changes
    }

    @Test("keys that were made ahead are forgotten: no file of class A is made under a lock")
    func keysAhead() throws {
        try volume.store("one", protection: .complete)
        try device.lock()
        var made = 0
        // Until the lock was announced, files may be made: it takes effect here then.
        eventually {
            made += 1
            return Self.isRefused { try volume.store("file \(made)", protection: .complete) }
        }
        for number in 0..<100 {
            #expect(throws: VolumeFailure(EPERM)) { try volume.make("late \(number)", protection: .complete) }
        }
        #expect(try volume.names().count == made, "a refused file leaves nothing")
        try device.unlock("1234")
        try volume.store("after", protection: .complete)
    }

    @Test("a file of class B that was made and closed while the device is locked does not open again")
    func closedWhileLocked() throws {
        try volume.store("before", "before", protection: .completeUnlessOpen)
        try device.lock()
        eventually { Self.isRefused { _ = try volume.text("before") } }
        for number in 0..<3 {
            let name = "file \(number)"
            let handle = try volume.make(name, "made under a lock", protection: .completeUnlessOpen)
            let second = try volume.number(name)
            try volume.open(second, flags: O_RDONLY)
            volume.release(second)
            #expect(try volume.read(handle).count == 17, "one of two handles was closed")
            volume.release(handle)
            #expect(throws: VolumeFailure(EPERM)) { try volume.text(name) }
        }
        try device.unlock("1234")
        for number in 0..<3 { #expect(try volume.text("file \(number)") == "made under a lock") }
    }

    @Test("the kernel is told to forget files of class A, and before the first unlock all")
    func forgetting() throws {
        let told = Mutex<[Set<UInt64>]>([])
        volume.follow { numbers in told.withLock { $0.append(Set(numbers)) } }
        let complete = try volume.store("a", protection: .complete)
        let others = try [FileProtection.completeUnlessOpen, .completeUntilFirstUserAuthentication, .none].map {
            try volume.store($0.rawValue, protection: $0)
        }
        try device.lock(withGrace: true)
        eventually { told.withLock { $0.count } >= 1 }
        try device.lock()
        // Before the files close, so that the kernel writes out what is in mapped memory, and after it.
        eventually { told.withLock { $0.count } >= 3 }
        #expect(told.withLock { $0 } == [[complete], [complete], [complete]])
        try device.reboot()
        eventually { told.withLock { $0.count } >= 5 }
        #expect(told.withLock { $0.last } == Set(others + [complete]))
    }

    @Test("what was written before a lock is there after it, without any flush", arguments: [1, 4096, 300_000])
    func unsaved(_ count: Int) throws {
        let handle = try volume.make("a", protection: .complete)
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try volume.write(handle, bytes)
        try device.lock()
        eventually { Self.isRefused { _ = try volume.read(handle) } }
        volume.release(handle)
        try device.unlock("1234")
        try volume.open(try volume.number("a"), flags: O_RDONLY)
        #expect(try volume.read(handle, count: count + 1) == bytes)
    }

    @Test("a class that is changed holds at the next lock")
    func classChange() throws {
        let number = try volume.store("f", "text", protection: FileProtection.none)
        let name = Array("user.latchkey.protection".utf8)
        try volume.setExtendedAttribute(number, name, Array(FileProtection.complete.rawValue.utf8), flags: 0)
        try device.lock()
        eventually { Self.isRefused { _ = try volume.text("f") } }
        #expect(throws: VolumeFailure(EPERM)) {
            try volume.setExtendedAttribute(number, name, Array(FileProtection.none.rawValue.utf8), flags: 0)
        }
        #expect(try volume.extendedAttribute(number, name) == Array(FileProtection.complete.rawValue.utf8))
        try device.unlock("1234")
        try volume.setExtendedAttribute(number, name, Array(FileProtection.none.rawValue.utf8), flags: 0)
        try device.lock()
        #expect(try volume.text("f") == "text")
    }

    @Test("a volume can be opened, listed and rearranged while the device is locked")
    func namesWhileLocked() throws {
        try volume.makeDirectory("d")
        try volume.store("d/a", "secret", protection: .complete)
        try device.lock()
        try stage.reopen()
        stage.follow()
        #expect(try volume.names("d") == ["a"])
        try volume.move("d/a", to: "moved")
        try volume.removeDirectory("d")
        let other = try volume.number("moved")
        #expect(try volume.attributes(other).status.st_size == 6)
        let changed = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
        var changes = AttributeChanges()
        changes.times = FileTimes(change: changed)
        changes.permissions = 0o400
        _ = try volume.setAttributes(other, changes)
        #expect(throws: VolumeFailure(EPERM)) { try volume.text("moved") }
        try device.unlock("1234")
        #expect(try volume.text("moved") == "secret")
        #expect(try volume.permissions("moved") == 0o400)
        try volume.remove("moved")
    }

    static func isRefused(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return error as? VolumeFailure == VolumeFailure(EPERM)
        }
    }
}

extension UInt64 {
    /// A number for names that must differ.
    fileprivate static func random() -> UInt64 { .random(in: 0...(.max)) }
}
