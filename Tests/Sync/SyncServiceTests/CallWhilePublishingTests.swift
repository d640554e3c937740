import LatchkeyEnclaveService
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeySyncService

/// A program writes an item again, with the same content, while the store is read before the item gets its first
/// version.
@Suite struct CallWhilePublishingTests {
    @Test(
        "a call during the round of reading does not lose to the version that the round gives",
        arguments: [true, false])
    func sameContent(isNamed: Bool) throws {
        let host = MemoryHost()
        let device = try CircleDevice("laptop", host)
        try device.found()
        let items = device.service.shared
        let engine = try #require(try SyncEngine(device.parts { false }))
        #expect(device.add("bob", "secret") == .success)
        // As if it had been there before the circle.
        try items.write { try $0.dropSyncVersions() }
        let (keyEpoch, keys) = (
            device.enclave.keyEpoch,
            engine.environment.sharingKeys(allowed: engine.membership.settings.allowedGroups)
        )
        host.onNextList.withLock { handler in
            handler = { [device] in
                // Without the keys the row gets its name later, and its change waits under no name.
                if !isNamed { items.lend(nil, since: keyEpoch) }
                #expect(device.delete("bob") == .success && device.add("bob", "secret") == .success)
                if !isNamed { items.lend(keys, since: keyEpoch) }
            }
        }
        engine.itemsChanged()
        #expect(host.onNextList.withLock { $0 == nil })
        engine.exchange()
        #expect(device.secret(of: "bob") == "secret")
        #expect(engine.isSettled && engine.state.items.count == 1)
        #expect(engine.state.items.allSatisfy { $0.1.state == .live && $0.1.dot != nil })
    }
}
