import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncCore
import LatchkeySyncKeys
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncService

/// A store that shows a joining device the circle as it was before a removal, in concert with the removed device.
@Suite("A removed device admits no one, whatever the store shows") struct OldStateTests {
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)

    /// The store that the joining device is shown, and the one of the others.
    private let shown = MemoryHost()
    private let host = MemoryHost()
    private let laptop: CircleDevice
    private let thief: CircleDevice
    private let circle: CircleIdentifier

    init() throws {
        (laptop, thief) = (try CircleDevice("laptop", host), try CircleDevice("thief", host))
        try laptop.found()
        try thief.join(try laptop.ask(InviteDevice(passcode: Self.passcode)).code)
        try laptop.approve()
        for device in [thief, laptop, thief] { try device.exchange() }
        circle = try #require(CircleIdentifier(try laptop.report().circle ?? []))
        _ = shown.store(of: circle, writer: CircleReader.nobody)
        show(host.objects)
        let removed = try #require(try thief.report().device)
        try laptop.ask(RemoveDevice(removed, deletesItems: false, passcode: Self.passcode))
    }

    private func show(_ objects: [StoreObjectName: [UInt8]]) {
        for (name, bytes) in objects { shown.put(bytes, at: name) }
    }

    private func statements() -> [StoreObjectName: [UInt8]] {
        host.objects.filter { if case .statement = $0.key { true } else { false } }
    }

    /// Carries the request of the joining device to the others.
    private func carryRequest() {
        for (name, bytes) in shown.objects { if case .exchange = name { host.put(bytes, at: name) } }
    }

    @Test("a device without a code stays outside until the named member itself has admitted it") func oldState() throws
    {
        let joiner = try CircleDevice("desktop", shown)
        let fingerprint = try #require(try laptop.report().fingerprint)
        try joiner.ask(
            AskToJoin(
                store: CircleDevice.address, deviceName: "desktop", member: fingerprint, passcode: Self.passcode))
        let own = try #require(try joiner.report().fingerprint)
        carryRequest()
        let before = Set(statements().keys)
        // The removed device has not read of its removal, or does not care.
        let waiting = try #require(try thief.ask(ListJoinRequests(own)).first)
        try thief.ask(ApproveDevice(waiting.identifier, fingerprint: own, passcode: Self.passcode))
        let admission = statements().filter { !before.contains($0.key) }
        #expect(!admission.isEmpty)
        show(admission)
        let found = try #require(
            try CircleReader.found(circle, in: shown.store(of: circle, writer: CircleReader.nobody)))
        let device = try #require(DeviceIdentifier(waiting.identifier))
        #expect(found.graph.state().members.contains(device), "what the store shows says so")
        #expect(joiner.add("mine", "secret") == .success)
        try joiner.exchange()
        #expect(try joiner.report().membership == .waiting)
        #expect(
            !shown.objects.keys.contains { $0.writer == device }, "nothing of its items is in the store")

        try laptop.ask(ApproveDevice(waiting.identifier, fingerprint: own, passcode: Self.passcode))
        // Only the admission, without the removal that it knows.
        let all = try #require(try CircleReader.found(circle, in: host.store(of: circle, writer: CircleReader.nobody)))
        let removals = all.graph.statements.filter { if case .remove = $0.statement.body { true } else { false } }
        let removal = try #require(removals.first.map { StoreObjectName.statement($0.hash) })
        show(statements().filter { $0.key != removal })
        try joiner.exchange()
        #expect(try joiner.report().membership == .waiting, "the past of the admission is missing")
        show(statements())
        try joiner.exchange()
        let report = try joiner.report()
        #expect(report.membership == .member)
        #expect(report.devices.filter(\.isMember).count == 2, "the laptop and this one")
    }

    @Test("a member that was removed since admits no one any more") func removedApprover() throws {
        let phone = try CircleDevice("phone", host)
        try phone.join(try laptop.ask(InviteDevice(passcode: Self.passcode)).code)
        try laptop.approve()
        for device in [phone, laptop, phone] { try device.exchange() }
        let joiner = try CircleDevice("desktop", host)
        try joiner.ask(
            AskToJoin(
                store: CircleDevice.address, deviceName: "desktop",
                member: try #require(try phone.report().fingerprint), passcode: Self.passcode))
        let own = try #require(try joiner.report().fingerprint)
        let waiting = try #require(try phone.ask(ListJoinRequests(own)).first)
        try phone.ask(ApproveDevice(waiting.identifier, fingerprint: own, passcode: Self.passcode))
        try laptop.exchange()
        try laptop.ask(
            RemoveDevice(try #require(try phone.report().device), deletesItems: false, passcode: Self.passcode))
        try joiner.exchange()
        #expect(try joiner.report().membership == .waiting)
    }
}
