import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import Security
import SecurityTesting
import Testing

@Suite("Rehearsals")
struct RehearsalTests {
    private static let classes = ["ak", "ck", "dk", "aku", "akpu"]

    private static func machine() throws -> Machine {
        let machine = try Machine()
        for account in classes {
            #expect(machine.add(account, account as CFString, "secret of \(account)") == errSecSuccess)
        }
        try machine.write("complete", [UInt8](repeating: 1, count: 3 << 20), .complete)
        try machine.write("clear", [1, 2, 3])
        try machine.write("empty", [])
        #expect(unsafe symlink("clear", machine.home + "/link") == 0)
        try machine.setPassword()
        return machine
    }

    private static func rehearsal(_ machine: Machine) throws -> BackupRehearsal {
        let backup = try machine.opened()
        let other = try Machine(hasPasscode: false)
        let folder = other.path + "/rehearsal"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        return try BackupRehearsal(
            backup, passwordKey: machine.passwordKey(of: backup), on: other.keychain, in: folder
        ) { _ in
            true
        }
    }

    @Test("items and files are read back and compared")
    func whole() throws {
        let machine = try Self.machine()
        try machine.backUp(encrypted: true)
        let rehearsal = try Self.rehearsal(machine)
        #expect(rehearsal.isWhole)
        #expect(rehearsal.itemsRead == 3 && rehearsal.report.items[.otherDevice] == 1)
        // Three files and a link.
        #expect(rehearsal.filesRead == 4 && rehearsal.report.restored == 4)
    }

    @Test("without a password, files come and no item")
    func withoutPassword() throws {
        let machine = try Self.machine()
        try machine.backUp(encrypted: false)
        let rehearsal = try Self.rehearsal(machine)
        #expect(rehearsal.isWhole && rehearsal.itemsRead == 0 && rehearsal.filesRead == 4)
        #expect(rehearsal.report.items == [.otherDevice: 4])
    }

    @Test("damage is named, and the rest is read back")
    func damage() throws {
        let machine = try Self.machine()
        try machine.backUp(encrypted: true)
        let id = FileID(domain: .home, path: "clear")
        let payload = URL(fileURLWithPath: machine.folder + "/" + id.folder + "/\(id)")
        var bytes = try Data(contentsOf: payload)
        bytes[0] ^= 1
        try bytes.write(to: payload)
        let rehearsal = try Self.rehearsal(machine)
        #expect(!rehearsal.isWhole && rehearsal.report.failed.map(\.path) == ["HomeDomain/clear"])
        #expect(rehearsal.itemsRead == 3 && rehearsal.filesRead == 3)
        #expect(rehearsal.alteredItems.isEmpty && rehearsal.alteredFiles.isEmpty)
    }

    /// A device that gives back as many items as it was given, one of them twice and another one not at all.
    private struct Forgetful: Keychain {
        let keychain: any Keychain

        func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
            let answer = try keychain.ask(question)
            guard let page = answer as? BackedUpItems, let first = page.items.first else { return answer }
            let items = page.items.dropLast() + [first]
            return BackedUpItems(items: Array(items), leftOut: page.leftOut, next: page.next) as? Question.Answer
                ?? answer
        }

        var identity: ObjectIdentifier { keychain.identity }
        func perform(_ request: ItemRequest) -> ItemReply { keychain.perform(request) }
        func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
            try keychain.ask(question)
        }
        func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
            try keychain.ask(question)
        }
        func openSession() -> any AuthenticationSession { keychain.openSession() }
        func watchProtectedData() -> any ProtectedDataWatch { keychain.watchProtectedData() }
    }

    @Test("what is not given back as it was is named, also if the number is right")
    func altered() throws {
        let machine = try Self.machine()
        try machine.backUp(encrypted: true)
        let backup = try machine.opened()
        let other = try Machine(hasPasscode: false)
        let folder = other.path + "/rehearsal"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let clear = folder + "/HomeDomain/clear"
        let rehearsal = try BackupRehearsal(
            backup, passwordKey: machine.passwordKey(of: backup), on: Forgetful(keychain: other.keychain), in: folder
        ) { _ in
            // Another program changes a file that was restored, without another length.
            if let file = FileHandle(forWritingAtPath: clear) { try? file.write(contentsOf: Data([9])) }
            return true
        }
        #expect(!rehearsal.isWhole && rehearsal.check.isSound && rehearsal.report.isWhole)
        #expect(rehearsal.alteredFiles == ["HomeDomain/clear"])
        #expect(rehearsal.alteredItems.count == 1 && rehearsal.itemsRead == 2)
    }
}
