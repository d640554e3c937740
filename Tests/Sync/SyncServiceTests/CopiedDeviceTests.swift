import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import Testing

@_implementationOnly import GRDBSQLite

@testable import LatchkeySyncService

/// A device that has found something with its own signature which it has not written.
@Suite struct CopiedDeviceTests {
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)
    private let host = MemoryHost()
    private let copy: CircleDevice
    private let member: CircleDevice

    init() throws {
        (copy, member) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try copy.found()
        try member.join(try copy.ask(InviteDevice(passcode: Self.passcode)).code)
        try copy.approve()
        for device in [member, copy, member] { try device.exchange() }
        var database: OpaquePointer?
        #expect(sqlite3_open(copy.databasePath, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let identifier = CircleDevice.digits(of: try #require(try copy.report().device))
        let note = "INSERT INTO syncduplicated (device) VALUES (x'\(identifier)')"
        #expect(sqlite3_exec(database, note, nil, nil, nil) == SQLITE_OK)
        copy.circle.withKeeper { $0.open() }
        #expect(try copy.report().alarms.map(\.kind) == [.identityDuplicated])
    }

    @Test("it does not say that it has exchanged anything, before it has its new identity") func now() throws {
        #expect(copy.add("bob", "secret") == .success)
        #expect(copy.refusal(of: ExchangeNow()) == .syncIdentityDuplicated)
        let code = try member.ask(InviteDevice(passcode: Self.passcode)).code
        let repaired = try copy.ask(RepairDevice(code: code, passcode: Self.passcode))
        #expect(copy.refusal(of: ExchangeNow()) == .syncIdentityDuplicated)
        let old = try #require(try copy.report().device)
        try member.approve()
        try member.ask(RemoveDevice(old, deletesItems: false, passcode: Self.passcode))
        try copy.exchange()
        #expect(try copy.report().device == repaired.identifier)
        for _ in 0..<3 {
            for device in [member, copy] { try device.exchange() }
            for device in [member, copy] { device.clock.advance(by: 40) }
        }
        #expect(member.secret(of: "bob") == "secret")
    }
}
