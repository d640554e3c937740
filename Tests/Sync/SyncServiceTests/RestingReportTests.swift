import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

/// Reports and decisions of devices that exchange nothing, or cannot.
@Suite("Reports without an exchange")
struct RestingReportTests {
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)
    private static let leave = LeaveCircle(deletesItems: false, isForced: false, passcode: passcode)
    private let host = MemoryHost()

    /// Two devices in one circle, each of which knows what the other one has.
    private func pair() throws -> (CircleDevice, CircleDevice) {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        try second.join(try first.ask(InviteDevice(passcode: Self.passcode)).code)
        try first.approve()
        #expect(first.add("bob", "secret") == .success)
        try settle(first, second)
        return (first, second)
    }

    private func settle(_ devices: CircleDevice...) throws {
        for _ in 0..<3 {
            for device in devices { try device.exchange() }
            for device in devices { device.clock.advance(by: 310) }
        }
    }

    @Test("a paused device shows its devices and items, and counts what programs change meanwhile") func paused() throws
    {
        let (first, second) = try pair()
        try first.ask(ShareGroup("unsigned.x", isShared: true, passcode: Self.passcode))
        try settle(first, second)
        let before = try second.report()
        #expect(before.sharedItems == 1 && before.waitingChanges == 0 && before.allowedGroups == ["unsigned.x"])
        try second.ask(PauseSync(true, passcode: Self.passcode))
        var report = try second.report()
        #expect(report.isPaused && report.isKnown && report.membership == .member)
        #expect(report.sharedItems == 1 && report.waitingChanges == 0)
        #expect(report.devices == before.devices && report.allowedGroups == before.allowedGroups)
        #expect(second.add("carol", "new") == .success)
        report = try second.report()
        #expect(report.sharedItems == 2 && report.waitingChanges == 1)
        #expect(second.delete("bob") == .success)
        report = try second.report()
        #expect(report.sharedItems == 1 && report.waitingChanges == 2)
        let other = try first.report().device ?? []
        let removal = RemoveDevice(other, deletesItems: false, passcode: Self.passcode)
        #expect(second.refusal(of: removal) == .syncPaused)
        try second.ask(PauseSync(false, passcode: Self.passcode))
        try settle(second, first)
        #expect(try second.report().waitingChanges == 0)
        #expect(first.secret(of: "carol") == "new" && first.secret(of: "bob") == nil)
    }

    @Test("a report without any device of its circle has numbers that are not known") func unknown() {
        var report = CircleReport()
        #expect(report.isKnown)
        report.membership = .member
        #expect(!report.isKnown)
    }

    @Test("a decision while the store is away stands, and the report names the store's failure") func away() throws {
        let (first, second) = try pair()
        let other = try second.report().device ?? []
        host.failure = .unreachable(.folderMissing)
        try first.ask(ChangeCircleKeys(passcode: Self.passcode))
        #expect(try first.report().storeTrouble == "the folder is not there")
        try first.ask(RemoveDevice(other, deletesItems: false, passcode: Self.passcode))
        let report = try first.report()
        #expect(report.storeTrouble == "the folder is not there")
        #expect(report.devices.count { $0.isMember } == 1)
        host.failure = nil
        #expect(try second.report().membership == .member)
        // A store that has failed is tried again after a pause.
        first.clock.advance(by: 310)
        try settle(first)
        #expect(second.refusal(of: ExchangeNow()) == .syncRemoved)
        #expect(try second.report().membership == .departed && first.report().storeTrouble == nil)
    }

    @Test("a device that leaves early is told which device lacks what, and when to try again") func early() throws {
        let (first, second) = try pair()
        #expect(second.add("carol", "new") == .success)
        try second.exchange()
        let early = try #require(second.fullRefusal(of: Self.leave))
        #expect(early.rule == .syncNotPassedOn)
        #expect(early.reason == "The device laptop has not said yet that it has 1 change of this device.")
        #expect(early.advice.contains("5 minutes") && early.advice.contains("--force"), "\(early.advice)")
        // The failure of the store comes first: the other device might have said so there.
        host.failure = .unreachable(.folderMissing)
        #expect(second.refusal(of: Self.leave) == .syncStoreUnreachable)
        host.failure = nil
        try settle(first)
        // The command itself looks at what the other one has said.
        second.clock.advance(by: 310)
        #expect(second.refusal(of: Self.leave) == nil)
        #expect(try second.report().membership == .none)
        #expect(first.secret(of: "carol") == "new")
    }

    @Test("a device that departed stays in the list, with the date and the device that removed it") func departed()
        throws
    {
        let (first, second) = try pair()
        let third = try CircleDevice("phone", host)
        try third.join(try first.ask(InviteDevice(passcode: Self.passcode)).code)
        try first.approve()
        try settle(first, second, third)
        #expect(first.add("carol", "new") == .success)
        let identifiers = try [first, second, third].map { try $0.report().device ?? [] }
        try first.ask(RemoveDevice(identifiers[1], deletesItems: false, passcode: Self.passcode))
        try settle(first, third)
        try third.ask(Self.leave)
        try settle(first)
        let devices = try first.report().devices
        #expect(devices.map(\.identifier) == identifiers)
        #expect(devices.map(\.isMember) == [true, false, false])
        #expect(devices.map(\.departedBy) == [nil, identifiers[0], identifiers[2]])
        #expect(devices.map { $0.departed != nil } == [false, true, true])
        #expect(devices.allSatisfy { $0.lacks == 0 && $0.missing == 0 })
    }
}
