import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import Synchronization
import Testing

/// A circle that moves to another store, and one that ends.
@Suite struct StorePlaceTests {
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)
    private static let place = StoreAddress(folder: "/srv/other")!
    private let host = MemoryHost()
    private let other = MemoryHost()

    init() {
        host.elsewhere.withLock { $0[Self.place] = other }
    }

    private func pair() throws -> (CircleDevice, CircleDevice) {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try second.join(try first.ask(InviteDevice(passcode: Self.passcode)).code)
        try first.approve()
        #expect(first.add("bob", "secret") == .success)
        try exchange(first, second)
        return (first, second)
    }

    private func exchange(_ devices: CircleDevice...) throws {
        for _ in 0..<4 {
            for device in devices { try device.exchange() }
            for device in devices { device.clock.advance(by: 40) }
        }
    }

    @Test("the devices find each other in the new store, one after the other, and nothing is lost") func move() throws {
        let (first, second) = try pair()
        try first.ask(MoveCircle(to: Self.place, passcode: Self.passcode))
        #expect(try first.report().store == Self.place)
        #expect(first.add("alice", "new") == .success)
        #expect(second.add("carol", "old") == .success)
        try exchange(first)
        try exchange(second)
        #expect(second.secret(of: "alice") == nil, "it looks in the old store")
        try second.ask(MoveCircle(to: Self.place, passcode: Self.passcode))
        try exchange(second, first)
        for device in [first, second] {
            #expect(device.secret(of: "alice") == "new" && device.secret(of: "carol") == "old", "\(device.name)")
            #expect(try device.report().alarms.isEmpty)
        }
        // All that the circle needs is there: a third device can join.
        let third = try CircleDevice("phone", other)
        try third.join(try first.ask(InviteDevice(passcode: Self.passcode)).code)
        try first.approve()
        try exchange(first, third, second)
        #expect(third.secret(of: "bob") == "secret" && third.secret(of: "carol") == "old")
    }

    @Test("a store that cannot be used leaves the circle where it was") func unusable() throws {
        let (first, second) = try pair()
        for failure in [StoreFailure.unreachable(.folderMissing), .refused(.permission)] {
            other.failure = failure
            #expect(first.refusal(of: MoveCircle(to: Self.place, passcode: Self.passcode)) != nil)
            #expect(try first.report().store == CircleDevice.address)
        }
        #expect(throws: DeviceRefusal.self) { try first.ask(MoveCircle(to: Self.place, passcode: nil)) }
        #expect(first.add("alice", "new") == .success)
        try exchange(first, second)
        #expect(second.secret(of: "alice") == "new")
    }

    @Test("the last device empties the store; the items stay") func delete() throws {
        let (first, second) = try pair()
        #expect(first.refusal(of: DeleteCircle(passcode: Self.passcode)) == .syncNotAlone)
        try second.ask(LeaveCircle(deletesItems: false, isForced: false, passcode: Self.passcode))
        try exchange(first)
        #expect(throws: DeviceRefusal.self) { try first.ask(DeleteCircle(passcode: nil)) }
        #expect(!host.objects.isEmpty)
        let count = try first.ask(DeleteCircle(passcode: Self.passcode)).count
        #expect(count > 0 && host.objects.isEmpty)
        #expect(try first.report().membership == .none)
        #expect(first.secret(of: "bob") == "secret")
        try first.found()
    }
}
