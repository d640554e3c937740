import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyKeychainService

@Suite("Hosts that back up and restore without the passcode")
struct EscrowCallTests {
    private static let passcode = SecretBox(copying: Array("1234".utf8))
    private static let caller = BackupCallTests.caller(1)

    private static func keychain() throws -> TestKeychain {
        let keychain = try BackupCallTests.keychain()
        _ = keychain.perform(.add, ["acct": .string("a"), "pdmn": .string("ak")], secret: "secret")
        return keychain
    }

    private static func host(_ keychain: TestKeychain, name: String = "host") throws -> HostKeybag {
        try keychain.service.ask(CreateEscrow(hostName: name, passcode: passcode), caller: caller)
    }

    private static func lock(_ keychain: TestKeychain) throws {
        try keychain.service.ask(Forwarded(LockDevice(immediately: true)), caller: caller)
    }

    @Test("backs up and restores the items of a locked device")
    func locked() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        let host = try Self.host(keychain)
        try Self.lock(keychain)
        let backup = try service.ask(BeginHostBackup(host), caller: Self.caller)
        let page = try service.ask(BackUpItems(backup.token, after: nil), caller: Self.caller)
        #expect(page.items.count == 1)
        _ = try service.ask(EndBackup(backup.token, isComplete: true), caller: Self.caller)

        try service.ask(Forwarded(UnlockDevice(Self.passcode)), caller: Self.caller)
        #expect(keychain.perform(.delete, ["acct": .string("a")]).code == .success)
        try Self.lock(keychain)
        let grant = try service.ask(
            BeginHostRestore(
                host, keybag: backup.keybag, passwordKey: BackupCallTests.password.key, policy: .merge),
            caller: Self.caller)
        let answer = try service.ask(RestoreItems(grant.token, isDryRun: false, page.items), caller: Self.caller)
        #expect(answer.outcomes == [.restored])
        _ = try service.ask(EndBackup(grant.token), caller: Self.caller)
        // Others find it locked until the device is unlocked.
        let query: [String: PropertyValue] = ["acct": .string("a"), "r_Data": .boolean(true)]
        #expect(keychain.perform(.find, query).code == .interactionNotAllowed)
        try service.ask(Forwarded(UnlockDevice(Self.passcode)), caller: Self.caller)
        #expect(keychain.perform(.find, query).code == .success)
    }

    @Test("an ordinary grant has no keys of a locked device")
    func ordinary() throws {
        let keychain = try Self.keychain()
        let grant = try keychain.service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller)
        try Self.lock(keychain)
        #expect(
            BackupCallTests.rule {
                _ = try keychain.service.ask(BackUpItems(grant.token, after: nil), caller: Self.caller)
            } == .classKeyLocked)
    }

    @Test("hosts are listed, revoked one by one and together, and their grants end")
    func revoking() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        let hosts = try ["one", "two", "three"].map { name in
            keychain.clock.advance(by: 1)
            return try Self.host(keychain, name: name)
        }
        let records = try service.ask(ListEscrows(), caller: Self.caller)
        #expect(records.map(\.hostName) == ["one", "two", "three"])
        let grants = try hosts.map { try service.ask(BeginHostBackup($0), caller: Self.caller) }
        func rules() -> [Rule?] {
            grants.map { grant in
                BackupCallTests.rule {
                    _ = try service.ask(BackUpItems(grant.token, after: nil), caller: Self.caller)
                }
            }
        }
        #expect(rules() == [nil, nil, nil])
        #expect(try service.ask(RevokeEscrow(records[1].identifier), caller: Self.caller).count == 1)
        #expect(rules() == [nil, .backupGrantOver, nil])
        #expect(
            BackupCallTests.rule { _ = try service.ask(BeginHostBackup(hosts[1]), caller: Self.caller) } == .escrowOver)
        #expect(try service.ask(RevokeEscrow(records[1].identifier), caller: Self.caller).count == 0)
        #expect(try service.ask(RevokeEscrow(nil), caller: Self.caller).count == 2)
        #expect(rules() == [.backupGrantOver, .backupGrantOver, .backupGrantOver])
        #expect(try service.ask(ListEscrows(), caller: Self.caller).isEmpty)
    }

    @Test("a new passcode ends them, and a host needs the passcode to be made")
    func passcodes() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        #expect(throws: DeviceRefusal.refused(.passcodeNeeded)) {
            try service.ask(CreateEscrow(hostName: "h", passcode: nil), caller: Self.caller)
        }
        let host = try Self.host(keychain)
        let new = SecretBox(copying: Array("5678".utf8))
        try service.ask(Forwarded(ChangePasscode(from: Self.passcode, to: new)), caller: Self.caller)
        #expect(try service.ask(ListEscrows(), caller: Self.caller).isEmpty)
        #expect(BackupCallTests.rule { _ = try service.ask(BeginHostBackup(host), caller: Self.caller) } == .escrowOver)
    }

    @Test("there are sixteen at most, and a restart of the device asks for the passcode once")
    func limits() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        let host = try Self.host(keychain)
        for _ in 1..<EscrowRecord.limit { _ = try Self.host(keychain) }
        #expect(BackupCallTests.rule { _ = try Self.host(keychain) } == .escrowLimit)
        keychain.enclave.restart()
        #expect(
            BackupCallTests.rule { _ = try service.ask(BeginHostBackup(host), caller: Self.caller) }
                == .escrowNeedsPasscode)
        for bytes in [[], [UInt8](repeating: 0, count: 5000), Array(host.bytes.dropLast(10))] {
            #expect(
                BackupCallTests.rule {
                    _ = try service.ask(BeginHostBackup(HostKeybag(bytes)), caller: Self.caller)
                } == .escrowOver)
        }
    }

    @Test("the device remembers the last whole backup")
    func lastBackup() throws {
        let keychain = try Self.keychain()
        let service = keychain.service
        func last() throws -> WallTime? { try service.ask(DescribeBackups(), caller: Self.caller).lastBackup }
        #expect(try last() == nil)
        for isComplete in [false, true] {
            let grant = try service.ask(BeginBackup(.encrypted, passcode: Self.passcode), caller: Self.caller)
            // Another process cannot say so.
            _ = try service.ask(EndBackup(grant.token, isComplete: true), caller: BackupCallTests.caller(2))
            _ = try service.ask(EndBackup(grant.token, isComplete: isComplete), caller: Self.caller)
            #expect(try last() == (isComplete ? keychain.clock.wallTime() : nil))
        }
    }
}
