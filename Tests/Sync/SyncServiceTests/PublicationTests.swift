import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeyTestSupport
import Synchronization
import Testing

@_implementationOnly import GRDBSQLite

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
        try first.admit(second)
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
        arguments: [StoreFailure.headReplaced, .system(5)])
    func refused(_ failure: StoreFailure) throws {
        #expect(first.add("bob", "secret") == .success)
        host.publishing.withLock { $0 = failure }
        _ = host.takeCalls()
        engines.first.itemsChanged()
        #expect(host.takeCalls() == ["publish", "read", "create", "publish"])
        engines.second.exchange()
        #expect(second.secret(of: "bob") == "secret" && engines.first.isSettled)
    }

    @Test(
        "a store that does not answer, or refuses, is not asked again at once",
        arguments: [StoreFailure.unreachable(.noAnswer), .refused(.quota)])
    func unreachable(_ failure: StoreFailure) throws {
        #expect(first.add("bob", "secret") == .success)
        host.publishing.withLock { $0 = failure }
        _ = host.takeCalls()
        engines.first.itemsChanged()
        #expect(host.takeCalls() == ["publish"])
        #expect(engines.first.storeFailure == failure && !engines.first.isSettled)
        first.clock.advance(by: 60)
        engines.first.wake()
        #expect(host.takeCalls() == ["publish"] && engines.first.isSettled)
        engines.second.exchange()
        #expect(second.secret(of: "bob") == "secret")
    }

    @Test("a store that has lost everything gets everything again, also with the next change") func lost() throws {
        for name in ["bob", "carol"] {
            #expect(first.add(name, "secret") == .success)
            engines.first.itemsChanged()
        }
        let before = host.objects
        host.removeAll()
        #expect(first.add("dave", "secret") == .success)
        engines.first.itemsChanged()
        engines.first.exchange()
        let own = before.keys.filter { name in
            if case .segment(let dot) = name { return dot.stream.device == engines.first.device }
            return false
        }
        #expect(own.count > 1 && host.objects.keys.filter(own.contains).count == own.count)
    }

    @Test("a database that takes no notes lets the exchange rest for a minute") func full() throws {
        first.clock.advance(by: 48 * 3_600)
        engines.first.exchange()
        let next = try #require(engines.first.state.head?.number)
        var database: OpaquePointer?
        #expect(sqlite3_open(second.databasePath, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        let refusal = "CREATE TRIGGER refusal BEFORE INSERT ON syncheads BEGIN SELECT RAISE(FAIL, 'full'); END"
        #expect(sqlite3_exec(database, refusal, nil, nil, nil) == SQLITE_OK)
        _ = host.takeCalls()
        engines.second.exchange()
        #expect(!engines.second.hasLeftWork && !engines.second.isSettled)
        #expect(host.takeCalls().count < 60)
        #expect(try #require(engines.second.wakesAt) > Moment(of: second.clock).uptime + 30_000_000)
        #expect(sqlite3_exec(database, "DROP TRIGGER refusal", nil, nil, nil) == SQLITE_OK)
        second.clock.advance(by: 61)
        engines.second.wake()
        #expect(engines.second.state.seen[engines.first.device]?.number == next)
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
