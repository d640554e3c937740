import DataProtection
import Foundation
import SecurityTesting
import Testing

@Suite("The files of a virtual device")
struct VirtualFileTests {
    private static let letter = Data("Dear diary, today the phone was locked.".utf8)
    private static let classes: [(Data.WritingOptions, FileProtectionType)] = [
        (.completeFileProtection, .complete), (.completeFileProtectionUnlessOpen, .completeUnlessOpen),
        (.completeFileProtectionUntilFirstUserAuthentication, .completeUntilFirstUserAuthentication),
        (.noFileProtection, .none),
    ]

    @Test("are in a directory that goes with the device", arguments: VirtualDevice.Backend.allCases)
    func directory(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        let directory = device.files.directory
        #expect(device.files.all == [])
        try device.run { try Self.letter.writeProtected(to: device.files.url("letter")) }
        #expect(FileManager.default.fileExists(atPath: directory.appendingPathComponent("letter").path))
        try device.reboot()
        #expect(device.files.all.map(\.name) == ["letter"])
        device.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path))
        #expect(device.files.all == [])
    }

    @Test("are listed with class and lengths, those below directories and those in clear too")
    func list() throws {
        let device = try VirtualDevice()
        try device.run {
            for (options, type) in Self.classes {
                try Self.letter.writeProtected(to: device.files.url(type.rawValue), options: options)
            }
            let below = device.files.url("below/more")
            try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
            try Self.letter.write(to: below.appendingPathComponent("clear"))
            try FileManager.default.createSymbolicLink(at: device.files.url("link"), withDestinationURL: below)
        }
        let files = device.files.all
        #expect(files.map(\.name) == (Self.classes.map(\.1.rawValue) + ["below/more/clear"]).sorted())
        for file in files {
            #expect(file.byteCount == Self.letter.count)
            #expect(file.isProtected == (file.name != "below/more/clear"))
            #expect(file.protection?.rawValue == (file.isProtected ? file.name : nil))
            #expect((file.storedByteCount > file.byteCount) == file.isProtected)
        }
        #expect(files.first?.description.contains("39 bytes") ?? false)
    }

    @Test("have the directory's class, where a program names none")
    func defaultProtection() throws {
        let device = try VirtualDevice()
        #expect(device.files.defaultProtection == nil)
        try device.files.setDefaultProtection(.complete)
        #expect(device.files.defaultProtection?.rawValue == FileProtectionType.complete.rawValue)
        try device.run { try Self.letter.writeProtected(to: device.files.url("a")) }
        #expect(device.files.all.first?.protection?.rawValue == FileProtectionType.complete.rawValue)
        let error = #expect(throws: VirtualDeviceError.self) {
            try device.files.setDefaultProtection(FileProtectionType(rawValue: "sometimes"))
        }
        #expect(error?.code == .storageFailed)
        #expect(error?.reason.contains("sometimes") ?? false)
    }

    @Test("are readable as the lock state allows, handles or not", arguments: VirtualDevice.Backend.allCases)
    func readable(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.run {
            for (options, type) in Self.classes {
                try Self.letter.writeProtected(to: device.files.url(type.rawValue), options: options)
            }
            try Self.letter.write(to: device.files.url("clear"))
        }
        let handle = try device.run {
            try ProtectedFileHandle(forReadingFrom: device.files.url(FileProtectionType.completeUnlessOpen.rawValue))
        }
        func readable() throws -> [String] {
            try device.files.all.map(\.name).filter { try device.files.isReadable($0) }
        }
        let all = (Self.classes.map(\.1.rawValue) + ["clear"]).sorted()
        let always = ["clear", FileProtectionType.none.rawValue].sorted()
        #expect(try readable() == all)
        try device.lock()
        #expect(
            try readable() == (always + [FileProtectionType.completeUntilFirstUserAuthentication.rawValue]).sorted())
        try device.reboot()
        #expect(try readable() == always)
        try device.unlock("1234")
        #expect(try readable() == all)
        try device.erase()
        #expect(try readable() == ["clear"])
        try handle.close()
        device.close()
        #expect(throws: VirtualDeviceError.self) { try device.files.isReadable("clear") }
    }

    @Test("show that no text is stored as it is")
    func plaintext() throws {
        let device = try VirtualDevice()
        try device.run { try Self.letter.writeProtected(to: device.files.url("a"), options: .noFileProtection) }
        #expect(try device.files.containing("today the phone".utf8) == [])
        #expect(try device.files.storedBytes(of: "a").prefix(4) == Data("LKPF".utf8))
        try Self.letter.write(to: device.files.url("b"))
        #expect(try device.files.containing("today the phone".utf8).map(\.name) == ["b"])
        #expect(throws: VirtualDeviceError.self) { try device.files.storedBytes(of: "c") }
    }

    @Test("can be damaged, and a program hears of it", arguments: VirtualFiles.Damage.allCases)
    func damage(_ damage: VirtualFiles.Damage) throws {
        let device = try VirtualDevice()
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try device.run { try content.writeProtected(to: device.files.url("a"), options: .completeFileProtection) }
        try device.files.damage("a", damage)
        device.run {
            let error = #expect(throws: CocoaError.self) { try Data(contentsOfProtected: device.files.url("a")) }
            #expect(error?.code == .fileReadCorruptFile)
        }
        #expect(try #require(device.files.all.first).isProtected)
        #expect(device.findings.isEmpty, "damage does not count as a file in clear")
        #expect(throws: VirtualDeviceError.self) { try device.files.damage("b") }
    }
}
