import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySyncCore
import LatchkeyTestSupport
import Testing

@_implementationOnly import GRDBSQLite

@testable import LatchkeySyncService

/// Rows that are written without a name while the keys for it are lent: behind the look for such rows.
@Suite struct LateNameTests {
    /// Two devices of a circle, and the engine of the second.
    private func pair() throws -> (first: CircleDevice, second: CircleDevice, engine: SyncEngine) {
        let host = MemoryHost()
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try first.admit(second)
        try second.exchange()
        let engine = try #require(try SyncEngine(second.parts { false }))
        return (first, second, engine)
    }

    @Test("a row that a call has written behind the look for names is named with the next report, and holds up nothing")
    func late() throws {
        let (first, second, engine) = try pair()
        let items = second.service.shared
        let keyEpoch = second.enclave.keyEpoch
        // The call lists its row before its transaction, and the keys are lent and used in between.
        items.lend(nil, since: keyEpoch)
        #expect(second.add("late", "of the second") == .success)
        items.lend(
            engine.environment.sharingKeys(allowed: engine.membership.settings.allowedGroups), since: keyEpoch)
        #expect(try items.read { try $0.hasCallWithoutName() })
        #expect(first.add("bob", "secret") == .success)
        try first.exchange()
        engine.exchange()
        #expect(try items.read { try !$0.hasCallWithoutName() })
        #expect(second.secret(of: "bob") == "secret")
        #expect(engine.isSettled)
        try first.exchange()
        #expect(first.secret(of: "late") == "of the second")
    }

    /// Has the rows that wait for their names wait as those of a backup.
    private func makeRestored(on device: CircleDevice) {
        var database: OpaquePointer?
        #expect(sqlite3_open(device.databasePath, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let change = "UPDATE syncunnamed SET origin = 2, epoch = NULL, time = NULL, count = NULL"
        #expect(sqlite3_exec(database, change, nil, nil, nil) == SQLITE_OK && sqlite3_changes(database) == 1)
    }

    @Test(
        "a restored row over a deletion by this device is named when that is in the items, on a locked device as well")
    func afterDeletion() throws {
        let device = try CircleDevice("laptop", MemoryHost())
        try device.found()
        try device.ask(PauseSync(true, passcode: CircleDevice.secret(CircleDevice.passcode)))
        let engine = try #require(try SyncEngine(device.parts { false }))
        let items = device.service.shared
        let opensLocked: [String: PropertyValue] = ["pdmn": .string("ck")]
        #expect(device.add("bob", "secret", opensLocked) == .success)
        engine.exchange()
        try device.ask(LockDevice(immediately: true))
        engine.lockStateChanged()
        #expect(device.delete("bob") == .success)
        device.clock.advance(by: 1000)
        let keyEpoch = device.enclave.keyEpoch
        items.lend(nil, since: keyEpoch)
        #expect(device.add("bob", "restored", opensLocked) == .success)
        makeRestored(on: device)
        items.lend(
            engine.environment.sharingKeys(allowed: engine.membership.settings.allowedGroups), since: keyEpoch)
        engine.itemsChanged()
        #expect(try items.read { try $0.lastUnnamedChange() } == nil)
        engine.exchange()
        #expect(engine.state.items.map(\.1.state) == [.live] && device.secret(of: "bob") == "restored")
    }
}
