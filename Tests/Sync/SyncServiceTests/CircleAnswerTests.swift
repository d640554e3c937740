import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

@Suite("Answers about a circle")
struct CircleAnswerTests {
    private let host = MemoryHost()
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)

    /// Two devices in one circle.
    private func pair() throws -> (CircleDevice, CircleDevice) {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try first.admit(second)
        for _ in 0..<2 {
            try second.exchange()
            try first.exchange()
        }
        return (first, second)
    }

    @Test("items travel between two keychains") func items() throws {
        let (first, second) = try pair()
        #expect(first.add("bob", "secret") == .success)
        try first.exchange()
        try second.exchange()
        #expect(second.secret(of: "bob") == "secret")
        let report = try second.report()
        #expect(report.membership == .member && report.sharedItems == 1 && report.storeTrouble == nil)
        #expect(Set(report.devices.compactMap(\.deviceName)) == ["laptop", "desktop"])
    }

    @Test("a locked device tells how things are, and decides nothing") func locked() throws {
        let (first, second) = try pair()
        let other = try second.report().device ?? []
        try first.ask(LockDevice(immediately: true))
        #expect(try first.report().membership == .member)
        try first.exchange()
        let changes: [any DeviceQuestion] = [
            RemoveDevice(other, deletesItems: false, passcode: Self.passcode),
            ReplaceRecoveryCode(passcode: Self.passcode), ChangeCircleKeys(passcode: Self.passcode),
            ShareGroup("unsigned.x", isShared: true, passcode: Self.passcode),
            LeaveCircle(deletesItems: false, isForced: true, passcode: Self.passcode),
        ]
        for question in changes {
            func rule(_ question: some DeviceQuestion) -> Rule? { first.refusal(of: question) }
            #expect(rule(question) == .syncNeedsUnlock, "\(type(of: question))")
        }
        try first.ask(UnlockDevice(Self.passcode))
        #expect(try first.report().devices.count { $0.isMember } == 2, "nothing was half done")
        let fresh = try CircleDevice("phone", host)
        let code = try first.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode))).code
        try fresh.ask(LockDevice(immediately: true))
        let ways: [any DeviceQuestion] = [
            CreateCircle(store: CircleDevice.address, deviceName: "n", passcode: Self.passcode),
            JoinCircle(store: CircleDevice.address, deviceName: "n", code: code, passcode: Self.passcode),
            RecoverCircle(store: CircleDevice.address, deviceName: "n", code: code, passcode: Self.passcode),
        ]
        for question in ways {
            func rule(_ question: some DeviceQuestion) -> Rule? { fresh.refusal(of: question) }
            #expect(rule(question) == .syncNeedsUnlock, "\(type(of: question))")
        }
        #expect(try fresh.report().membership == .none)
    }

    @Test("a device without a passcode is in no circle") func noPasscode() throws {
        let bare = try CircleDevice("bare", host, hasPasscode: false)
        #expect(
            bare.refusal(of: CreateCircle(store: CircleDevice.address, deviceName: "n", passcode: nil))
                == .syncNeedsPasscode)
        #expect(host.objects.isEmpty)
    }

    @Test("a member whose passcode was removed decides nothing any more") func removedPasscode() throws {
        let (first, second) = try pair()
        try first.ask(RemovePasscode(Self.passcode))
        let other = try second.report().device ?? []
        #expect(first.refusal(of: RemoveDevice(other, deletesItems: false, passcode: nil)) != nil)
        try first.ask(SetPasscode(CircleDevice.secret("5678")))
        // The key that signs went with the passcode.
        #expect(
            first.refusal(of: RemoveDevice(other, deletesItems: false, passcode: CircleDevice.secret("5678"))) != nil)
        try second.exchange()
        #expect(try second.report().devices.count { $0.isMember } == 2)
    }

    @Test("versions that lost, and new keys, are the owner's") func ownersAlone() throws {
        let (first, _) = try pair()
        for question in [ListConflicts(passcode: nil), ListConflicts(passcode: CircleDevice.secret("9"))] {
            #expect(throws: DeviceRefusal.self) { try first.ask(question) }
        }
        #expect(throws: DeviceRefusal.self) { try first.ask(RestoreConflict(1, passcode: nil)) }
        #expect(throws: DeviceRefusal.self) { try first.ask(ChangeCircleKeys(passcode: nil)) }
        #expect(try first.ask(ListConflicts(passcode: Self.passcode)).isEmpty)
        #expect(first.refusal(of: RestoreConflict(1, passcode: Self.passcode)) == .syncNoConflict)
    }

    @Test("a paused member does not leave, for the others would not know") func paused() throws {
        let (first, _) = try pair()
        try first.ask(PauseSync(true, passcode: CircleDevice.secret(CircleDevice.passcode)))
        let leave = LeaveCircle(deletesItems: false, isForced: false, passcode: Self.passcode)
        for rule in [
            first.refusal(of: leave),
            first.refusal(of: InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode))),
            first.refusal(of: ExchangeNow()),
        ] { #expect(rule == .syncPaused) }
        try first.ask(PauseSync(false, passcode: CircleDevice.secret(CircleDevice.passcode)))
        #expect(first.refusal(of: leave) == nil)
        #expect(
            first.refusal(of: PauseSync(false, passcode: CircleDevice.secret(CircleDevice.passcode))) == .syncNotAMember
        )
    }

    @Test("a change after another device has left goes out at once, under a new epoch") func left() throws {
        let (first, second) = try pair()
        try second.ask(LeaveCircle(deletesItems: false, isForced: false, passcode: Self.passcode))
        // The clock stands still: nothing that is put off happens here.
        try first.exchange()
        #expect(first.add("bob", "secret") == .success)
        try first.exchange()
        #expect(try first.report().waitingChanges == 0)
        #expect(try first.report().devices.count { $0.isMember } == 1)
    }

    @Test("a removed device that joins again gets what was written in between") func joinedAgain() throws {
        let (first, second) = try pair()
        #expect(first.add("before", "one") == .success)
        for device in [first, second, first] { try device.exchange() }
        let removed = try second.report().device ?? []
        try first.ask(RemoveDevice(removed, deletesItems: false, passcode: Self.passcode))
        #expect(first.add("after", "two") == .success)
        try first.exchange()
        #expect(second.refusal(of: ExchangeNow()) == .syncRemoved, "it learns of it, and has exchanged nothing")
        #expect(try second.report().membership == .departed)
        try second.ask(LeaveCircle(deletesItems: false, isForced: false, passcode: Self.passcode))
        try second.join(try first.ask(InviteDevice(passcode: Self.passcode)).code)
        try first.approve()
        for _ in 0..<2 {
            try second.exchange()
            try first.exchange()
        }
        #expect(second.secret(of: "before") == "one" && second.secret(of: "after") == "two")
        #expect(try !second.report().isJoining)
    }

    @Test("a group that is shared by its kind is not forbidden, and what changes nothing writes no statement")
    func groups() throws {
        let first = try CircleDevice("laptop", host)
        try first.found()
        func share(_ group: String, _ isShared: Bool) -> ShareGroup {
            ShareGroup(group, isShared: isShared, passcode: Self.passcode)
        }
        func statements() -> Int { host.objects.keys.count { if case .statement = $0 { true } else { false } } }
        let before = statements()
        for group in ["group.example.mail", "ABCDE23456.mail"] {
            #expect(first.refusal(of: share(group, false)) == .syncGroupNotAllowed, "\(group)")
            #expect(try !first.ask(share(group, true)).isChanged, "\(group)")
        }
        #expect(try !first.ask(share("unsigned.x", false)).isChanged)
        #expect(statements() == before)
        for isShared in [true, false] {
            #expect(try first.ask(share("unsigned.x", isShared)).isChanged)
            #expect(try !first.ask(share("unsigned.x", isShared)).isChanged)
        }
        #expect(statements() == before + 2)
    }

    @Test("a device that waits to be admitted says so, and under which identity") func waiting() throws {
        let (member, joiner) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try member.found()
        let code = try member.ask(InviteDevice(passcode: Self.passcode)).code
        try joiner.join(code)
        let device = CircleDevice.digits(of: try #require(try joiner.report().asking))
        func refusal(of question: some DeviceQuestion) -> Refusal? {
            do throws(DeviceRefusal) {
                _ = try joiner.ask(question)
                return nil
            } catch {
                guard case .declined(_, let refusal) = error else { return nil }
                return refusal
            }
        }
        let decisions = [
            refusal(of: InviteDevice(passcode: Self.passcode)), refusal(of: ChangeCircleKeys(passcode: Self.passcode)),
        ]
        for refusal in decisions {
            #expect(refusal?.rule == .syncNotAMember)
            #expect(refusal?.reason.contains("waits to be admitted as \(device)") == true)
        }
        let again = refusal(
            of: JoinCircle(store: CircleDevice.address, deviceName: "n", code: code, passcode: Self.passcode))
        #expect(again?.rule == .syncAlreadyMember)
        #expect(again?.reason.contains("waits to be admitted as \(device)") == true)
        try joiner.exchange()
    }

    @Test("a store that fails is named in the report until it answers") func trouble() throws {
        let (first, _) = try pair()
        host.failure = .refused(.readOnly)
        #expect(first.add("bob", "secret") == .success)
        #expect(first.refusal(of: ExchangeNow()) == .syncStoreRefused)
        #expect(try first.report().storeTrouble == "it can only be read")
        #expect(try first.report().waitingChanges == 1)
        host.failure = nil
        // The next attempt comes with its time.
        first.clock.advance(by: 600)
        try first.exchange()
        first.circle.keysChanged()
        #expect(try first.report().storeTrouble == nil)
    }
}
