import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncService
import LatchkeyTestSupport
import Testing

@Suite("Waiting for the exchange of items")
struct AwaitSyncTests {
    private let host = MemoryHost()

    @Test("what is known ends no wait, what is new does, and both threads see to it") func progress() throws {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        #expect(first.circle.start() && second.circle.start())
        try first.found()
        try first.admit(second)
        // No one asks the second device to look: the store gives it a hint.
        var known: Int64?
        while try second.report().membership != .member { known = try second.ask(AwaitSync(after: known)).number }
        #expect(first.add("bob", "secret") == .success)
        var progress = try second.ask(AwaitSync(after: nil))
        while second.secret(of: "bob") == nil { progress = try second.ask(AwaitSync(after: progress.number)) }
        #expect(try second.ask(AwaitSync(after: nil)).remoteChanges > 0)
    }

    @Test("a wait without a circle is settled, and ends with the service") func end() throws {
        let device = try CircleDevice("laptop", host)
        #expect(device.circle.start())
        let first = try device.ask(AwaitSync(after: nil))
        #expect(first.isSettled && first.remoteChanges == 0)
        let waited = Pending { try? device.ask(AwaitSync(after: first.number)) }
        #expect(!waited.isThere)
        device.circle.stop()
        #expect(waited.value?.number == first.number)
    }

    @Test("another number than the present one is answered at once") func otherNumber() throws {
        let device = try CircleDevice("laptop", host)
        let known = try device.ask(AwaitSync(after: nil)).number
        for number in [known + 1, known - 1, Int64.max, Int64.min] {
            #expect(try device.ask(AwaitSync(after: number)).number == known)
        }
    }
}
