import LatchkeyEnclaveService
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncService

/// Rows that are written without a name while the keys for it are lent: behind the look for such rows.
@Suite struct LateNameTests {
    /// Two devices of a circle, and the engine of the second.
    private func pair() throws -> (first: CircleDevice, second: CircleDevice, engine: SyncEngine) {
        let host = MemoryHost()
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try second.join(try first.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode))).code)
        try first.approve()
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
}
