import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeySyncService

/// The calls to the store that an exchange costs.
@Suite struct PublicationTests {
    private let host = MemoryHost()
    private let first: CircleDevice
    private let second: CircleDevice
    /// Those of the two devices, as after a new start of their daemons.
    private let engines: (first: SyncEngine, second: SyncEngine)

    init() throws {
        (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try second.join(try first.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode))).code)
        try first.approve()
        for device in [second, first, second] { try device.exchange() }
        engines = (
            try #require(try SyncEngine(first.parts { false })), try #require(try SyncEngine(second.parts { false }))
        )
        for _ in 1...3 {
            engines.first.exchange()
            engines.second.exchange()
        }
        _ = host.takeCalls()
    }

    @Test("a change goes out in one call, and is looked for in one look") func single() throws {
        for number in 1...3 {
            #expect(first.add("bob\(number)", "secret") == .success)
            _ = host.takeCalls()
            engines.first.itemsChanged()
            #expect(host.takeCalls() == ["publish"])
            engines.second.exchange()
            // The look is the first three calls here, and one of a transport.
            #expect(host.takeCalls().prefix(4) == ["list", "list", "read", "read"])
            #expect(second.secret(of: "bob\(number)") == "secret")
        }
    }

    @Test(
        "a store that did not take it is asked for the reason, step by step",
        arguments: [StoreFailure.headReplaced, .refused(.quota), .system(5)])
    func refused(_ failure: StoreFailure) throws {
        #expect(first.add("bob", "secret") == .success)
        host.publishing.withLock { $0 = failure }
        _ = host.takeCalls()
        engines.first.itemsChanged()
        #expect(host.takeCalls() == ["publish", "read", "create", "publish"])
        engines.second.exchange()
        #expect(second.secret(of: "bob") == "secret" && engines.first.isSettled)
    }

    @Test("a store that does not answer is not asked again at once") func unreachable() throws {
        #expect(first.add("bob", "secret") == .success)
        host.publishing.withLock { $0 = .unreachable(.noAnswer) }
        _ = host.takeCalls()
        engines.first.itemsChanged()
        #expect(host.takeCalls() == ["publish"])
        #expect(engines.first.storeFailure == .unreachable(.noAnswer) && !engines.first.isSettled)
        first.clock.advance(by: 60)
        engines.first.wake()
        #expect(host.takeCalls() == ["publish"] && engines.first.isSettled)
        engines.second.exchange()
        #expect(second.secret(of: "bob") == "secret")
    }

    @Test("a head is remembered when nothing follows it") func held() throws {
        #expect(first.add("bob", "secret") == .success)
        engines.first.itemsChanged()
        engines.second.exchange()
        let number = try #require(engines.first.state.head?.number)
        // Once a day there is a head without anything new.
        first.clock.advance(by: 48 * 3_600)
        engines.first.exchange()
        let next = try #require(engines.first.state.head?.number)
        #expect(next == number + 1)
        _ = host.takeCalls()
        engines.second.exchange()
        #expect(host.takeCalls() == ["list", "list", "read"], "nothing leaves the device")
        let stored = try second.service.shared.read { try SyncTables.state(of: engines.second.device, in: $0) }
        #expect(stored.seen[engines.first.device]?.number == next)
    }
}
