import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

@_implementationOnly import GRDBSQLite

@testable import LatchkeySyncService

/// Two statements that one device has signed for one place: it was put back between them, or runs twice.
@Suite struct StatementForkTests {
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)
    private let host = MemoryHost()
    private let laptop: CircleDevice
    private let desktop: CircleDevice

    init() throws {
        (laptop, desktop) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try laptop.found()
        try desktop.join(try laptop.ask(InviteDevice(passcode: Self.passcode)).code)
        try laptop.approve()
        for device in [desktop, laptop, desktop] { try device.exchange() }
    }

    private var statements: [StoreObjectName: [UInt8]] {
        host.objects.filter { if case .statement = $0.key { true } else { false } }
    }

    /// Has the desktop write a statement, and returns it.
    private func decide() throws -> (name: StoreObjectName, bytes: [UInt8]) {
        let before = statements
        try desktop.ask(ChangeCircleKeys(passcode: Self.passcode))
        let new = try #require(statements.first { before[$0.key] == nil })
        return (new.key, new.value)
    }

    /// Takes the statement from the database of the desktop, and from the store.
    private func forget(_ statement: StoreObjectName) throws {
        guard case .statement(let hash) = statement else { return }
        try desktop.ask(PauseSync(true, passcode: Self.passcode))
        var database: OpaquePointer?
        #expect(sqlite3_open(desktop.databasePath, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let deletion = "DELETE FROM syncstatements WHERE hash = x'\(CircleDevice.digits(of: hash.bytes))'"
        #expect(sqlite3_exec(database, deletion, nil, nil, nil) == SQLITE_OK && sqlite3_changes(database) == 1)
        host.remove(statement)
        try desktop.ask(PauseSync(false, passcode: Self.passcode))
    }

    @Test("fork-evidence: the others accept nothing further from it, and it writes nothing more") func fork() throws {
        let first = try decide()
        try forget(first.name)
        let second = try decide()
        #expect(first.name != second.name)
        try laptop.exchange()
        #expect(try laptop.report().alarms.isEmpty)
        host.put(first.bytes, at: first.name)
        try laptop.exchange()
        let other = try desktop.report().device
        #expect(try laptop.report().alarms == [CircleAlarm(.deviceDuplicated, other)])
        #expect(desktop.refusal(of: ExchangeNow()) == .syncIdentityDuplicated)
        #expect(try desktop.report().alarms.map(\.kind) == [.identityDuplicated])
    }
}
