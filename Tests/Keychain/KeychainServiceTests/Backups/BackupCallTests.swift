import Foundation
import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyKeychainService

@Suite("Backups, asked of the service")
struct BackupCallTests {
    private static let passcode = SecretBox(copying: Array("1234".utf8))

    static func caller(_ process: Int32, level: Int = 0) -> Caller {
        Caller(
            name: "tool", accessGroups: ["g"],
            process: CallerProcess(processID: process, userID: 1000, executableDigest: nil))
    }

    static let password: BackupPassword = {
        let parameters = BackupPasswordParameters.encrypted(firstIterations: 10, entropy: SystemEntropy())
        do {
            return BackupPassword(
                parameters, key: try parameters.passcodeKey(for: SecretBox(copying: Array("word".utf8))))
        } catch {
            preconditionFailure("ten rounds are within the limits: \(error)")
        }
    }()

    static func keychain() throws -> TestKeychain {
        let keychain = try TestKeychain()
        try keychain.service.ask(Forwarded(SetPasscode(passcode)), caller: caller(1))
        try keychain.service.ask(
            SetBackupPassword(current: nil, new: password, passcode: passcode), caller: caller(1))
        return keychain
    }

    static func rule(_ body: () throws -> Void) -> Rule? {
        do {
            try body()
            return nil
        } catch DeviceRefusal.declined(_, let refusal) {
            return refusal.rule
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    @Test("needs the passcode each time")
    func passcode() throws {
        let keychain = try Self.keychain()
        #expect(throws: DeviceRefusal.refused(.passcodeNeeded)) {
            try keychain.service.ask(BeginBackup(.encrypted, passcode: nil), caller: Self.caller(1))
        }
        #expect(throws: DeviceRefusal.refused(.wrongPasscode(attemptsLeft: 9))) {
            try keychain.service.ask(
                BeginBackup(.encrypted, passcode: SecretBox(copying: [0x39])), caller: Self.caller(1))
        }
    }

    @Test("a grant is of one process, for one direction, and for a while")
    func grants() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        let grant = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller(1))
        let question = BackUpItems(grant.token, after: nil)
        _ = try service.ask(question, caller: Self.caller(1))
        #expect(Self.rule { _ = try service.ask(question, caller: Self.caller(2)) } == .backupGrantOver)
        #expect(
            Self.rule {
                _ = try service.ask(RestoreItems(grant.token, isDryRun: true, []), caller: Self.caller(1))
            } == .backupGrantOver)
        let forged = BackUpItems([UInt8](repeating: 0, count: 16), after: nil)
        #expect(Self.rule { _ = try service.ask(forged, caller: Self.caller(1)) } == .backupGrantOver)
        // Another process cannot end it either.
        _ = try service.ask(EndBackup(grant.token), caller: Self.caller(2))
        _ = try service.ask(question, caller: Self.caller(1))
        keychain.clock.advance(by: 601)
        #expect(Self.rule { _ = try service.ask(question, caller: Self.caller(1)) } == .backupGrantOver)
    }

    @Test("processes that were killed hold up no later one")
    func leftBehind() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        for process in 1...40 {
            keychain.clock.advance(by: 1)
            let caller = Self.caller(Int32(process))
            let grant = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: caller)
            _ = try service.ask(BackUpItems(grant.token, after: nil), caller: caller)
        }
    }

    @Test("an erase ends grants and forgets the password")
    func erase() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        let grant = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller(1))
        try service.ask(Forwarded(EraseDevice(passcode: Self.passcode)), caller: Self.caller(1))
        let question = BackUpItems(grant.token, after: nil)
        #expect(Self.rule { _ = try service.ask(question, caller: Self.caller(1)) } == .backupGrantOver)
        #expect(try !service.ask(DescribeBackups(), caller: Self.caller(1)).hasPassword)
    }

    @Test("the password changes with the current one alone")
    func password() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        let settings = try service.ask(DescribeBackups(), caller: Self.caller(1))
        // Nothing that a password could be guessed with.
        #expect(try Keybag(parsing: settings.keybag).classKeys.isEmpty && settings.hasPassword)
        for current in [nil, SecretBox(copying: [UInt8](repeating: 1, count: 32))] {
            let rule = Self.rule {
                try service.ask(
                    SetBackupPassword(current: current, new: nil, passcode: Self.passcode), caller: Self.caller(1))
            }
            #expect(rule == .backupPasswordRefused)
        }
        #expect(try service.ask(DescribeBackups(), caller: Self.caller(1)) == settings)
        try service.ask(
            SetBackupPassword(current: Self.password.key, new: nil, passcode: Self.passcode), caller: Self.caller(1))
        #expect(
            Self.rule {
                _ = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller(1))
            } == .backupPasswordMissing)
    }

    @Test("hostile items are named and change nothing")
    func hostile() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        _ = keychain.perform(.add, ["acct": .string("kept")], secret: "kept")
        let backup = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller(1))
        let page = try service.ask(BackUpItems(backup.token, after: nil), caller: Self.caller(1))
        let genuine = try #require(page.items.first)
        let grant = try service.ask(
            BeginRestore(
                keybag: backup.keybag, passwordKey: Self.password.key, policy: .merge, passcode: Self.passcode),
            caller: Self.caller(1))
        var altered = genuine.blob
        altered[altered.count - 20] ^= 1
        let hostile = [
            SealedItem(itemClass: "genp", blob: [], reference: []),
            SealedItem(itemClass: "genp", blob: [UInt8](repeating: 0xFF, count: 200), reference: genuine.reference),
            SealedItem(itemClass: "genp", blob: altered, reference: genuine.reference),
            SealedItem(itemClass: "idnt", blob: genuine.blob, reference: genuine.reference),
            SealedItem(itemClass: "nope", blob: genuine.blob, reference: genuine.reference),
            // A password is not a certificate: it lacks what makes one unique, but its attributes are not a
            // certificate's.
            genuine,
        ]
        let answer = try service.ask(
            RestoreItems(grant.token, isDryRun: false, hostile), caller: Self.caller(1))
        #expect(answer.outcomes == [.damaged, .damaged, .damaged, .damaged, .damaged, .identical])
        #expect(keychain.perform(.find, ["acct": .string("kept"), "r_Data": .boolean(true)]).code == .success)
    }

    @Test("of two items with one name, the later one stays; merged, kept and repeated")
    func order() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        _ = keychain.perform(.add, ["acct": .string("a")], secret: "old")
        let backup = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller(1))
        let page = try service.ask(BackUpItems(backup.token, after: nil), caller: Self.caller(1))
        keychain.clock.advance(by: 60)
        _ = keychain.perform(.update, ["acct": .string("a")], secret: "new")
        for policy in [RestorePolicy.merge, .keep] {
            let grant = try service.ask(
                BeginRestore(
                    keybag: backup.keybag, passwordKey: Self.password.key, policy: policy, passcode: Self.passcode),
                caller: Self.caller(1))
            let answer = try service.ask(
                RestoreItems(grant.token, isDryRun: false, page.items), caller: Self.caller(1))
            #expect(answer.outcomes == [.kept] && answer.groups == ["g"])
        }
        _ = keychain.perform(.delete, ["acct": .string("a")])
        let grant = try service.ask(
            BeginRestore(
                keybag: backup.keybag, passwordKey: Self.password.key, policy: .merge, passcode: Self.passcode),
            caller: Self.caller(1))
        for outcome in [RestoredItems.Outcome.restored, .identical] {
            let answer = try service.ask(
                RestoreItems(grant.token, isDryRun: false, page.items), caller: Self.caller(1))
            #expect(answer.outcomes == [outcome])
        }
    }
}
