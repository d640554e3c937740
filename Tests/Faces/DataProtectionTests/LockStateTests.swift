import DataProtection
import Foundation
import LatchkeyTestSupport
import SecurityTesting
import Testing

@Suite("Files follow the lock state of their device")
struct LockStateTests {
    enum Lock: CaseIterable {
        case unlocked, locked, restarted
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let options: Data.WritingOptions
        let lock: Lock
        let canRead: Bool
        let canCreate: Bool

        init(_ options: Data.WritingOptions, _ lock: Lock, reads: Bool, creates: Bool) {
            (self.options, self.lock, canRead, canCreate) = (options, lock, reads, creates)
        }

        var testDescription: String { "class \(options.rawValue >> 28), \(lock)" }
    }

    /// Apple Platform Security, "Data Protection classes".
    static let rows = [
        Row(.completeFileProtection, .unlocked, reads: true, creates: true),
        Row(.completeFileProtection, .locked, reads: false, creates: false),
        Row(.completeFileProtection, .restarted, reads: false, creates: false),
        Row(.completeFileProtectionUnlessOpen, .unlocked, reads: true, creates: true),
        Row(.completeFileProtectionUnlessOpen, .locked, reads: false, creates: true),
        Row(.completeFileProtectionUnlessOpen, .restarted, reads: false, creates: true),
        Row(.completeFileProtectionUntilFirstUserAuthentication, .unlocked, reads: true, creates: true),
        Row(.completeFileProtectionUntilFirstUserAuthentication, .locked, reads: true, creates: true),
        Row(.completeFileProtectionUntilFirstUserAuthentication, .restarted, reads: false, creates: false),
        Row(.noFileProtection, .unlocked, reads: true, creates: true),
        Row(.noFileProtection, .locked, reads: true, creates: true),
        Row(.noFileProtection, .restarted, reads: true, creates: true),
    ]

    @Test("each class can be read and created as Apple documents", arguments: rows)
    func table(_ row: Row) throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.run { try Data.letter.writeProtected(to: folder.file("old"), options: row.options) }
        switch row.lock {
        case .unlocked: break
        case .locked: try device.lock()
        case .restarted: try device.reboot()
        }
        device.run {
            Self.expect(row.canRead, .fileReadNoPermission) { () throws in
                #expect(try Data(contentsOfProtected: folder.file("old")) == .letter)
            }
            Self.expect(row.canCreate, .fileWriteNoPermission) {
                try Data.letter.writeProtected(to: folder.file("new"), options: row.options)
            }
            #expect(FileManager.default.fileExists(atPath: folder.file("new").path) == row.canCreate)
            Self.expect(row.canRead && row.canCreate, .fileWriteNoPermission) {
                try Data.letter.writeProtected(to: folder.file("old"), options: row.options)
            }
        }
        try device.unlock("1234")
        try device.run { () throws in
            #expect(try Data(contentsOfProtected: folder.file("old")) == .letter)
            if row.canCreate { #expect(try Data(contentsOfProtected: folder.file("new")) == .letter) }
        }
    }

    private static func expect(
        _ isAllowed: Bool, _ code: CocoaError.Code, _ body: () throws -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            try body()
            #expect(isAllowed, sourceLocation: sourceLocation)
        } catch {
            #expect(!isAllowed, "\(error)", sourceLocation: sourceLocation)
            #expect((error as? CocoaError)?.code == code, sourceLocation: sourceLocation)
            let underlying = (error as? CocoaError)?.userInfo[NSUnderlyingErrorKey] as? POSIXError
            #expect(underlying?.code == .EPERM, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "an open file of class A is closed by a lock and opened by an unlock", arguments: VirtualDevice.Backend.allCases
    )
    func openFile(_ backend: VirtualDevice.Backend) throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        let handle = try device.run { try ProtectedFileHandle(forCreating: folder.file("a"), protection: .complete) }
        try handle.write(contentsOf: Data.letter)
        try device.lock()
        // The device announces the lock; the handle hears of it a moment later.
        eventually { Self.isRefused { _ = try handle.size } }
        #expect(Self.isRefused { _ = try handle.readToEnd() })
        #expect(Self.isRefused { try handle.write(contentsOf: Data.letter) })
        try device.unlock("1234")
        try handle.seek(toOffset: 0)
        #expect(try handle.readToEnd() == .letter, "what was written before the lock is there")
    }

    @Test("an open file of class B stays usable while the device is locked")
    func unlessOpen() throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.lock()
        let handle = try device.run {
            try ProtectedFileHandle(forCreating: folder.file("b"), protection: .completeUnlessOpen)
        }
        try handle.write(contentsOf: Data.letter)
        try handle.seek(toOffset: 5)
        #expect(try handle.read(upToCount: 5) == Data("diary".utf8))
        try handle.close()
        // The thread that tells files of locks may hold this one for a moment longer.
        eventually { device.run { Self.isRefused { _ = try ProtectedFileHandle(forReadingFrom: folder.file("b")) } } }
        try device.unlock("1234")
        try device.run { () throws in #expect(try Data(contentsOfProtected: folder.file("b")) == .letter) }
    }

    @Test("a file of class B can be made, and stays usable, before the first unlock")
    func unlessOpenBeforeFirstUnlock() throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let other = try device.run { try ProtectedFileHandle(forCreating: folder.file("c")) }
        try device.reboot()
        // Now the files of this process have heard of it.
        eventually { Self.isRefused { _ = try other.size } }
        try device.run { () throws in
            try Data.letter.writeProtected(to: folder.file("whole"), options: .completeFileProtectionUnlessOpen)
            let handle = try ProtectedFileHandle(forCreating: folder.file("b"), protection: .completeUnlessOpen)
            try handle.write(contentsOf: Data.letter)
            try handle.close()
        }
        try device.unlock("1234")
        try device.run { () throws in
            #expect(try Data(contentsOfProtected: folder.file("b")) == .letter)
            #expect(try Data(contentsOfProtected: folder.file("whole")) == .letter)
        }
    }

    @Test("a refused wish to write leaves a reader of class B as it is")
    func refusedUpgrade() throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        let url = folder.file("b")
        let reader = try device.run { () throws -> ProtectedFileHandle in
            try Data.letter.writeProtected(to: url, options: .completeFileProtectionUnlessOpen)
            return try ProtectedFileHandle(forReadingFrom: url)
        }
        try device.lock()
        device.run {
            #expect(throws: CocoaError.self) { try ProtectedFileHandle(forUpdating: url) }
            #expect(throws: CocoaError.self) { try Data().writeProtected(to: url, options: .noFileProtection) }
        }
        #expect(try reader.readToEnd() == .letter)
    }

    @Test("a device without a passcode, a new passcode and its removal keep every file readable")
    func passcodes() throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice()
        for (name, options) in [
            ("a", Data.WritingOptions.completeFileProtection), ("b", .completeFileProtectionUnlessOpen),
        ] {
            try device.run { try Data.letter.writeProtected(to: folder.file(name), options: options) }
        }
        func check() throws {
            for name in ["a", "b"] {
                try device.run { () throws in #expect(try Data(contentsOfProtected: folder.file(name)) == .letter) }
            }
        }
        try device.setPasscode("1234")
        try check()
        try device.changePasscode(from: "1234", to: "5678")
        try check()
        try device.removePasscode("5678")
        try check()
    }

    @Test("another device, and one that was erased, do not open a file")
    func otherDevice() throws {
        let folder = try ProtectedFolder()
        let device = try VirtualDevice()
        try device.run { try Data.letter.writeProtected(to: folder.file("a"), options: .noFileProtection) }
        let other = try VirtualDevice()
        other.run { #expect(throws: CocoaError.self) { try Data(contentsOfProtected: folder.file("a")) } }
        try device.erase()
        device.run { #expect(throws: CocoaError.self) { try Data(contentsOfProtected: folder.file("a")) } }
    }

    private static func isRefused(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            return [.fileReadNoPermission, .fileWriteNoPermission].contains((error as? CocoaError)?.code)
        }
    }
}
