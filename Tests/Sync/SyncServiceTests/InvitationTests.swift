import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncKeys
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncService

@Suite("Invitations")
struct InvitationTests {
    private let host = MemoryHost()
    private let member: CircleDevice
    private let joiner: CircleDevice

    init() throws {
        member = try CircleDevice("laptop", host)
        joiner = try CircleDevice("desktop", host)
        try member.found()
    }

    /// The objects of invitations and requests in the store.
    private var exchanged: Int { host.objects.keys.count { if case .exchange = $0 { true } else { false } } }

    @Test("an invitation is valid for 24 hours of uptime, whatever the clock of the day says") func lifetime() throws {
        let made = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        try joiner.join(made.code)
        member.clock.setWallTime(0)
        #expect(try member.ask(ListJoinRequests()).map(\.description?.name) == ["desktop"])
        member.clock.setWallTime(2_000_000_000)
        member.clock.setUptime(1_000 + 86_399)
        #expect(try member.ask(ListJoinRequests()).map(\.description?.system) == ["Test"])
        #expect(try member.report().invitationExpires != nil)
        let request = try #require(try member.ask(ListJoinRequests()).first)
        member.clock.setUptime(1_000 + 86_400)
        #expect(
            member.refusal(of: ApproveDevice(request.identifier, passcode: CircleDevice.secret("1234")))
                == .syncNoRequest)
        #expect(try member.ask(ListJoinRequests()).isEmpty)
        #expect(try member.report().invitationExpires == nil)
        #expect(exchanged == 0, "nothing of it stays in the store")
        #expect(try member.report().devices.map(\.deviceName) == ["laptop"])
    }

    @Test("the worker ends an invitation at its time, without any question about it") func endedByTime() throws {
        _ = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        #expect(exchanged == 1)
        member.clock.advance(by: 86_400)
        member.circle.withKeeper { $0.work([]) }
        #expect(member.circle.withKeeper { $0.invitation == nil })
        #expect(exchanged == 0, "nothing of it stays in the store")
    }

    @Test("an invitation also ends while the exchange is paused") func paused() throws {
        _ = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        try member.ask(PauseSync(true, passcode: CircleDevice.secret(CircleDevice.passcode)))
        member.clock.advance(by: 86_400)
        member.circle.withKeeper { $0.work([]) }
        #expect(member.circle.withKeeper { $0.state.wakesAt } == nil, "a time that is over would wake for ever")
        #expect(try member.report().invitationExpires == nil)
    }

    @Test("five different wrong requests end it, one that is shown again and again does not") func wrongRequests()
        throws
    {
        let made = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        let keys = InvitationKeys(try SecretCode(reading: made.code))
        let name = try #require(ExchangeName(keys.requestName).map(StoreObjectName.exchange))
        try joiner.join(made.code)
        let right = try #require(host.objects[name])
        var wrong: [[UInt8]] = []
        for _ in 0..<5 {
            // Well formed, and of a writer that guesses the code.
            let other = InvitationKeys(InvitationCode(generating: SystemEntropy()))
            let content = try AuthenticatedObject(parsing: right).content
            wrong.append(try other.joiner.authenticated(content))
        }
        for _ in 0..<20 {
            host.put(wrong[0], at: name)
            #expect(try member.ask(ListJoinRequests()).isEmpty)
        }
        for bytes in wrong[1..<4] {
            host.put(bytes, at: name)
            #expect(try member.ask(ListJoinRequests()).isEmpty)
        }
        host.put(right, at: name)
        #expect(try member.ask(ListJoinRequests()).count == 1, "four were wrong")
        host.put(wrong[4], at: name)
        #expect(try member.ask(ListJoinRequests()).isEmpty)
        host.put(right, at: name)
        #expect(try member.ask(ListJoinRequests()).isEmpty, "the invitation is over")
        #expect(try member.report().invitationExpires == nil)
        #expect(try member.report().devices.count == 1)
    }

    @Test("a request for another circle is wrong, though it has the code") func otherCircle() throws {
        let made = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        let keys = InvitationKeys(try SecretCode(reading: made.code))
        let name = try #require(ExchangeName(keys.requestName).map(StoreObjectName.exchange))
        try joiner.join(made.code)
        let right = try JoinRequest(parsing: AuthenticatedObject(parsing: try #require(host.objects[name])).content)
        let circle = try #require(CircleIdentifier([UInt8](repeating: 7, count: 16)))
        let moved = JoinRequest(circle: circle, keys: right.keys, label: right.label)
        host.put(try keys.joiner.authenticated(moved.content()), at: name)
        #expect(try member.ask(ListJoinRequests()).isEmpty)
    }

    @Test("the device that was looked at is admitted, and no other that came since") func exchangedRequest() throws {
        let made = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        try joiner.join(made.code)
        let seen = try #require(try member.ask(ListJoinRequests()).first)
        let keys = InvitationKeys(try SecretCode(reading: made.code))
        let name = try #require(ExchangeName(keys.requestName).map(StoreObjectName.exchange))
        let first = try #require(host.objects[name])
        host.put([], at: name)
        let other = try CircleDevice("other", host)
        try other.join(made.code)
        #expect(
            member.refusal(of: ApproveDevice(seen.identifier, passcode: CircleDevice.secret("1234"))) == .syncNoRequest)
        host.put(first, at: name)
        try member.ask(ApproveDevice(seen.identifier, passcode: CircleDevice.secret("1234")))
        try joiner.exchange()
        try other.exchange()
        #expect(try joiner.report().membership == .member)
        #expect(try other.report().membership == .waiting)
    }

    @Test("the code tells which groups the circle shares, and writes nothing") func groups() throws {
        let passcode = CircleDevice.secret(CircleDevice.passcode)
        func groups(_ code: SecretBox) throws -> [String]? {
            try joiner.ask(
                ReadInvitation(store: CircleDevice.address, deviceName: "n", code: code, passcode: passcode)
            ).allowedGroups
        }
        let plain = try member.ask(InviteDevice(passcode: passcode))
        let before = Set(host.objects.keys)
        #expect(try groups(plain.code) == [])
        try member.ask(ShareGroup("org.latchkey.owner", isShared: true, passcode: passcode))
        let invited = try member.ask(InviteDevice(passcode: passcode))
        let known = Set(host.objects.keys)
        #expect(try groups(invited.code) == ["org.latchkey.owner"])
        #expect(Set(host.objects.keys) == known && known != before)
        #expect(try joiner.report().membership == .none)
        // A store that hides what the invitation names tells nothing: the circle may have been changed since.
        let hidden = known.subtracting(before).filter { if case .statement = $0 { true } else { false } }
        #expect(!hidden.isEmpty)
        for name in hidden { host.remove(name) }
        #expect(try groups(invited.code) == nil)
    }

    @Test("what the store fails to do ends no invitation") func storeFailure() throws {
        let made = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        host.failure = .unreachable(.folderMissing)
        #expect(
            joiner.refusal(
                of: JoinCircle(
                    store: CircleDevice.address, deviceName: "n", code: made.code, passcode: CircleDevice.secret("1234")
                ))
                == .syncStoreUnreachable)
        #expect(try joiner.report().membership == .none)
        #expect(member.refusal(of: ListJoinRequests()) == .syncStoreUnreachable)
        host.failure = .refused(.full)
        #expect(
            member.refusal(of: InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode))) == .syncStoreRefused)
        host.failure = nil
        let again = try member.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode)))
        try joiner.join(again.code)
        try member.approve()
        try joiner.exchange()
        #expect(try joiner.report().membership == .member)
    }
}
