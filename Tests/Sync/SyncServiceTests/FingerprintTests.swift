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

/// Devices that join without a code: each is told the fingerprint of the other one.
@Suite("Joining by fingerprints")
struct FingerprintTests {
    private let host = MemoryHost()
    private let member: CircleDevice
    private static let passcode = CircleDevice.secret(CircleDevice.passcode)

    init() throws {
        member = try CircleDevice("laptop", host)
        try member.found()
    }

    private func ask(_ device: CircleDevice, _ fingerprint: FingerprintText?) throws {
        try device.ask(
            AskToJoin(
                store: CircleDevice.address, deviceName: device.name, member: try #require(fingerprint),
                passcode: Self.passcode))
    }

    private func approve(_ fingerprint: FingerprintText?, on device: CircleDevice) throws {
        let waiting = try #require(try device.ask(ListJoinRequests(fingerprint)).first)
        try device.ask(ApproveDevice(waiting.identifier, fingerprint: fingerprint, passcode: Self.passcode))
    }

    /// The name of the request of a waiting device.
    private func requestName(_ device: CircleDevice) throws -> StoreObjectName {
        let text = try #require(try device.report().fingerprint).characters
        let name = try #require(DeviceFingerprint(reading: text)).requestName
        return .exchange(try #require(ExchangeName(name)))
    }

    private func isExchange(_ name: StoreObjectName) -> Bool { if case .exchange = name { true } else { false } }

    @Test("two fingerprints are enough, and what is left in the store is removed") func joins() throws {
        #expect(member.add("before", "one") == .success)
        let joiner = try CircleDevice("desktop", host)
        try ask(joiner, try member.report().fingerprint)
        let waiting = try joiner.report()
        #expect(waiting.membership == .waiting && waiting.asking == waiting.device)
        #expect(waiting.approver == (try member.report().device))
        #expect(try member.ask(ListJoinRequests()).isEmpty, "it has no code, so it is not shown unasked")
        let found = try #require(try member.ask(ListJoinRequests(waiting.fingerprint)).first)
        #expect(found.identifier == waiting.device && found.description == nil)
        #expect(found.fingerprint == waiting.fingerprint)
        try approve(waiting.fingerprint, on: member)
        for _ in 0..<2 {
            try joiner.exchange()
            try member.exchange()
        }
        let report = try joiner.report()
        #expect(report.membership == .member && report.asking == nil && report.approver == nil)
        #expect(report.fingerprint == waiting.fingerprint)
        #expect(joiner.secret(of: "before") == "one")
        #expect(try member.report().devices.compactMap(\.deviceName).contains("desktop"))
        #expect(!host.objects.keys.contains(where: isExchange))
        #expect(joiner.refusal(of: ListJoinRequests(waiting.fingerprint)) == nil)
    }

    @Test("the member approves the device that is named, and needs the passcode for it") func other() throws {
        let (joiner, other) = (try CircleDevice("desktop", host), try CircleDevice("other", host))
        for device in [joiner, other] { try ask(device, try member.report().fingerprint) }
        let fingerprint = try joiner.report().fingerprint
        let otherDevice = try #require(try other.report().device)
        for passcode in [nil, CircleDevice.secret("9")] {
            #expect(throws: DeviceRefusal.self) {
                try member.ask(
                    ApproveDevice(try joiner.report().device ?? [], fingerprint: fingerprint, passcode: passcode))
            }
        }
        // The identifier of one device, and the fingerprint of the other.
        #expect(
            member.refusal(of: ApproveDevice(otherDevice, fingerprint: fingerprint, passcode: Self.passcode))
                == .syncNoRequest)
        #expect(member.refusal(of: ApproveDevice(otherDevice, passcode: Self.passcode)) == .syncNoRequest)
        // The store shows the other request in the place of this one.
        let bytes = try #require(host.objects[try requestName(other)])
        host.put(bytes, at: try requestName(joiner))
        #expect(try member.ask(ListJoinRequests(fingerprint)).isEmpty)
        #expect(try member.report().devices.count == 1)
    }

    @Test("a request for another circle, with a label or with a code, does not have the fingerprint") func altered()
        throws
    {
        let joiner = try CircleDevice("desktop", host)
        try ask(joiner, try member.report().fingerprint)
        let (fingerprint, name) = (try joiner.report().fingerprint, try requestName(joiner))
        let right = try #require(host.objects[name])
        let request = try JoinRequest(parsing: AuthenticatedObject(parsing: right).content)
        let circle = try #require(CircleIdentifier([UInt8](repeating: 7, count: 16)))
        let key = AuthenticationCode([UInt8](repeating: 1, count: 32))
        let altered = [
            AuthenticatedObject(try JoinRequest(circle: circle, keys: request.keys).content(), code: nil),
            AuthenticatedObject(
                try JoinRequest(circle: request.circle, keys: request.keys, label: [1]).content(), code: nil),
            AuthenticatedObject(try request.content(), code: key),
        ]
        for object in altered {
            host.put(try object.bytes(), at: name)
            #expect(try member.ask(ListJoinRequests(fingerprint)).isEmpty)
        }
        host.put(right, at: name)
        #expect(try member.ask(ListJoinRequests(fingerprint)).count == 1)
    }

    @Test("a device asks no circle but that of the member that was named") func wrongMember() throws {
        let joiner = try CircleDevice("desktop", host)
        let right = try #require(try member.report().fingerprint).characters
        let wrong = try #require(FingerprintText((right.first == "7" ? "8" : "7") + right.dropFirst()))
        func asking(_ text: FingerprintText) -> AskToJoin {
            AskToJoin(store: CircleDevice.address, deviceName: "n", member: text, passcode: Self.passcode)
        }
        #expect(joiner.refusal(of: asking(wrong)) == .syncCodeWrong)
        let unreadable = try #require(FingerprintText("U" + right.dropFirst()))
        #expect(joiner.refusal(of: asking(unreadable)) == .syncCodeWrong)
        #expect(try joiner.report().membership == .none)
        #expect(!host.objects.keys.contains(where: isExchange), "nothing was shown to the store")
        let member = try #require(FingerprintText(right))
        #expect(throws: DeviceRefusal.self) {
            try joiner.ask(
                AskToJoin(store: CircleDevice.address, deviceName: "n", member: member, passcode: nil))
        }
        #expect(joiner.refusal(of: asking(member)) == nil)
        try joiner.ask(LeaveCircle(deletesItems: false, isForced: false, passcode: Self.passcode))
        #expect(!host.objects.keys.contains(where: isExchange), "taken back")
    }

    @Test("the device with the code is named by its fingerprint as well") func withCode() throws {
        let (joiner, other) = (try CircleDevice("desktop", host), try CircleDevice("other", host))
        try joiner.join(try member.ask(InviteDevice(passcode: Self.passcode)).code)
        try ask(other, try member.report().fingerprint)
        let found = try member.ask(ListJoinRequests(try joiner.report().fingerprint))
        #expect(found.map(\.description?.name) == ["desktop"])
        // The device without a code is admitted, and the invitation stays open for the other.
        try approve(try other.report().fingerprint, on: member)
        try other.exchange()
        #expect(try other.report().membership == .member)
        try approve(try joiner.report().fingerprint, on: member)
        try joiner.exchange()
        #expect(try joiner.report().membership == .member && member.report().invitationExpires == nil)
    }
}
