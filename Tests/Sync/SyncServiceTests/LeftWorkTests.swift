import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import Synchronization
import Testing

/// An exchange that a caller interrupts.
@Suite struct LeftWorkTests {
    @Test("an engine leaves its work while a caller waits, and goes on afterwards") func left() throws {
        let host = MemoryHost()
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try first.admit(second)
        try second.exchange()
        #expect(first.add("bob", "secret") == .success)
        try first.exchange()
        let isAwaited = Atomic(true)
        // The same device as after a new start of its daemon.
        let engine = try #require(try SyncEngine(second.parts { isAwaited.load(ordering: .relaxed) }))
        #expect(engine.hasLeftWork && !engine.isSettled && !engine.hasPassedOnAll)
        #expect(second.secret(of: "bob") == nil)
        // One event with each call: callers that wait for each other come to an end.
        var calls = 0
        while engine.hasLeftWork, calls < 1_000 {
            engine.goOn()
            calls += 1
        }
        #expect(calls > 2 && engine.isSettled)
        #expect(second.secret(of: "bob") == "secret")
        isAwaited.store(false, ordering: .relaxed)
        #expect(first.add("eve", "other") == .success)
        try first.exchange()
        engine.exchange()
        #expect(!engine.hasLeftWork && second.secret(of: "eve") == "other")
    }
}
