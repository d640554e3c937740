import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

/// A new identity for a device that has lost its own.
@Suite struct RepairTests {
    private static let newPasscode = CircleDevice.secret("5678")
    private let host = MemoryHost()

    /// Two devices in one circle, the first of which can sign no statement any more.
    private func pair() throws -> (CircleDevice, CircleDevice) {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try second.join(try invitation(by: first))
        try first.approve()
        for _ in 0..<2 {
            try second.exchange()
            try first.exchange()
        }
        for name in ["stays", "goes"] { #expect(first.add(name, "secret") == .success) }
        try exchange(first, second)
        try first.ask(RemovePasscode(CircleDevice.secret(CircleDevice.passcode)))
        try first.ask(SetPasscode(Self.newPasscode))
        return (first, second)
    }

    private func invitation(by device: CircleDevice) throws -> SecretBox {
        try device.ask(InviteDevice(passcode: CircleDevice.secret(CircleDevice.passcode))).code
    }

    private func exchange(_ first: CircleDevice, _ second: CircleDevice) throws {
        for _ in 0..<3 {
            try first.exchange()
            try second.exchange()
            for device in [first, second] { device.clock.advance(by: 40) }
        }
    }

    @Test("a device comes back under a new identity, and what was deleted meanwhile does not") func comesBack() throws {
        let (first, second) = try pair()
        let old = try #require(try first.report().device)
        #expect(second.delete("goes") == .success)
        try second.exchange()
        #expect(first.add("mine", "own") == .success)
        let code = try invitation(by: second)
        let repaired = try first.ask(RepairDevice(code: code, passcode: Self.newPasscode))
        #expect(repaired.isWaiting && repaired.identifier != old)
        #expect(try first.report().device == old, "until it is approved")
        try second.approve()
        try second.ask(RemoveDevice(old, deletesItems: false, passcode: CircleDevice.secret(CircleDevice.passcode)))
        try exchange(second, first)
        let report = try first.report()
        #expect(report.device == repaired.identifier && report.membership == .member && !report.isJoining)
        for device in [first, second] {
            #expect(device.secret(of: "stays") == "secret", "\(device.name)")
            #expect(device.secret(of: "goes") == nil, "\(device.name)")
            #expect(device.secret(of: "mine") == "own", "\(device.name)")
            #expect(try device.report().devices.count { $0.isMember } == 2)
        }
        #expect(first.add("later", "new") == .success)
        try exchange(first, second)
        #expect(second.secret(of: "later") == "new")
        // Its statement key is a new one, too.
        #expect(
            first.refusal(of: InviteDevice(passcode: Self.newPasscode)) == nil
                && first.refusal(of: ReplaceRecoveryCode(passcode: Self.newPasscode)) == nil)
    }

    /// The requests and invitations in the store.
    private var exchanged: Int { host.objects.keys.count { if case .exchange = $0 { true } else { false } } }

    @Test("a new identity that waits is kept: the same code is refused, and with another one it asks again")
    func again()
        throws
    {
        let (first, second) = try pair()
        let code = try invitation(by: second)
        let repaired = try first.ask(RepairDevice(code: code, passcode: Self.newPasscode))
        for code in [code, nil] {
            let refused = first.fullRefusal(of: RepairDevice(code: code, passcode: Self.newPasscode))
            #expect(refused?.rule == .syncAlreadyMember)
            #expect(refused?.reason.contains(CircleDevice.digits(of: repaired.identifier)) == true)
        }
        #expect(try first.report().asking == repaired.identifier)
        // Another device has answered with this code.
        let taken = try invitation(by: second)
        try CircleDevice("phone", host).join(taken)
        #expect(first.refusal(of: RepairDevice(code: taken, passcode: Self.newPasscode)) == .syncStoreRefused)
        #expect(try first.report().asking == repaired.identifier, "it waits on")
        let again = try first.ask(
            RepairDevice(code: try invitation(by: second), passcode: Self.newPasscode))
        #expect(again.identifier == repaired.identifier && again.isWaiting)
        #expect(exchanged == 2, "the invitation and the request that answers it")
        try second.approve()
        try exchange(second, first)
        let report = try first.report()
        #expect(report.device == repaired.identifier && report.membership == .member && report.asking == nil)
        #expect(first.refusal(of: ReplaceRecoveryCode(passcode: Self.newPasscode)) == nil, "its keys are here")
    }

    @Test("a device that is alone when its new identity still waits repairs itself") func aloneMeanwhile() throws {
        let passcode = CircleDevice.secret(CircleDevice.passcode)
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try second.join(try invitation(by: first))
        try first.approve()
        try exchange(second, first)
        _ = try first.ask(RepairDevice(code: try invitation(by: second), passcode: passcode))
        #expect(first.refusal(of: RepairDevice(code: nil, passcode: passcode)) == .syncAlreadyMember)
        try second.ask(LeaveCircle(deletesItems: false, isForced: true, passcode: passcode))
        try first.exchange()
        #expect(exchanged == 2)
        let repaired = try first.ask(RepairDevice(code: nil, passcode: passcode))
        let report = try first.report()
        #expect(report.device == repaired.identifier && report.membership == .member && report.asking == nil)
        #expect(exchanged == 1, "the request is gone; with the other device the invitation is of no use")
    }

    @Test("a wrong code, and the invitation of another circle, change nothing") func wrongCode() throws {
        let (first, _) = try pair()
        let third = try CircleDevice("phone", host)
        try third.found()
        let foreign = RepairDevice(code: try invitation(by: third), passcode: Self.newPasscode)
        #expect(first.refusal(of: foreign) == .syncCodeWrong)
        let wrong = RepairDevice(code: CircleDevice.secret("0000-0000-0000-0000-0000-00"), passcode: Self.newPasscode)
        #expect(first.refusal(of: wrong) == .syncCodeWrong)
        #expect(try first.report().membership == .member)
        try first.exchange()
    }

    @Test("a device that is not alone needs an invitation, and each repair the passcode") func refused() throws {
        let (first, second) = try pair()
        #expect(first.refusal(of: RepairDevice(code: nil, passcode: Self.newPasscode)) == .syncNeedsInvitation)
        #expect(throws: DeviceRefusal.self) {
            try first.ask(RepairDevice(code: try invitation(by: second), passcode: nil))
        }
        let stranger = try CircleDevice("phone", host)
        #expect(
            stranger.refusal(of: RepairDevice(code: nil, passcode: CircleDevice.secret(CircleDevice.passcode)))
                == .syncNotAMember)
    }

    @Test(
        "a device that is alone repairs itself; a recovery code that it had set becomes a new one",
        arguments: [false, true])
    func alone(hasReplacedCode: Bool) throws {
        let passcode = CircleDevice.secret(CircleDevice.passcode)
        let first = try CircleDevice("laptop", host)
        var formerCode = try first.found()
        if hasReplacedCode { formerCode = try first.ask(ReplaceRecoveryCode(passcode: passcode)).code }
        #expect(first.add("bob", "secret") == .success)
        try first.exchange()
        let old = try #require(try first.report().device)
        let repaired = try first.ask(RepairDevice(code: nil, passcode: passcode))
        #expect(!repaired.isWaiting && (repaired.recoveryCode != nil) == hasReplacedCode)
        #expect(first.secret(of: "bob") == "secret")
        #expect(first.add("alice", "secret") == .success)
        for _ in 0..<3 {
            try first.exchange()
            first.clock.advance(by: 40)
        }
        let report = try first.report()
        #expect(report.device == repaired.identifier && report.membership == .member && report.waitingChanges == 0)
        #expect(report.devices.filter(\.isMember).map(\.identifier) == [repaired.identifier])
        #expect(report.devices.contains { $0.identifier == old && !$0.isMember })

        let second = try CircleDevice("desktop", host)
        let recover = { (code: SecretBox) in
            RecoverCircle(store: CircleDevice.address, deviceName: "desktop", code: code, passcode: passcode)
        }
        if let code = repaired.recoveryCode {
            #expect(second.refusal(of: recover(formerCode)) == .syncCodeWrong)
            formerCode = code
        }
        try second.ask(recover(formerCode))
        try exchange(second, first)
        #expect(second.secret(of: "bob") == "secret" && second.secret(of: "alice") == "secret")
    }
}
