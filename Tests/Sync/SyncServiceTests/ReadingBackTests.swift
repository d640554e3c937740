import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncCore
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

/// Objects that the store has altered under names that it lists as before.
@Suite("Altered objects are written again by the device that looks after them") struct ReadingBackTests {
    private let host = MemoryHost()
    private let first: CircleDevice

    init() throws {
        first = try CircleDevice("laptop", host)
        try first.found()
        #expect(first.add("bob", "secret") == .success)
        for _ in 0..<3 {
            try first.exchange()
            first.clock.advance(by: 40)
        }
    }

    /// Lets the time pass after which objects are read back.
    private func later() throws {
        first.clock.advance(by: 601)
        try first.exchange()
    }

    private func names(_ isMeant: (StoreObjectName) -> Bool) -> [StoreObjectName] {
        host.objects.keys.filter(isMeant).sorted()
    }

    private static func isSegment(_ name: StoreObjectName) -> Bool { if case .segment = name { true } else { false } }
    private static func isStatement(_ name: StoreObjectName) -> Bool {
        if case .statement = name { true } else { false }
    }

    /// A damage, by its name: of the content, of the signature alone, and of the length.
    private static let damages: [String: @Sendable ([UInt8]) -> [UInt8]] = [
        "a bit of the content": { bytes in
            var bytes = bytes
            bytes[bytes.count / 2] ^= 1
            return bytes
        },
        "a bit of the signature": { bytes in
            var bytes = bytes
            bytes[bytes.count - 1] ^= 1
            return bytes
        },
        "half of it": { Array($0.prefix($0.count / 2)) },
    ]

    @Test("segments and statements have their bytes again", arguments: damages.keys.sorted()) func repaired(
        _ damage: String
    )
        throws
    {
        let alter = try #require(Self.damages[damage])
        let names = self.names(Self.isSegment) + self.names(Self.isStatement)
        #expect(names.contains(where: Self.isSegment) && names.contains(where: Self.isStatement))
        let right = host.objects
        for name in names { host.put(alter(try #require(right[name])), at: name) }
        try later()
        try later()
        for name in names { #expect(host.objects[name] == right[name], "\(name)") }
        let report = try first.report()
        #expect(report.alarms.isEmpty && report.membership == .member && report.storeTrouble == nil)
        #expect(first.add("anna", "secret") == .success)
        try first.exchange()
        #expect(try first.report().waitingChanges == 0)
    }

    @Test("a statement of another device that the store has altered is written again by a member") func others() throws
    {
        let second = try CircleDevice("desktop", host)
        let passcode = CircleDevice.secret(CircleDevice.passcode)
        try second.join(try first.ask(InviteDevice(passcode: passcode)).code)
        try first.approve()
        for device in [second, first, second] { try device.exchange() }
        let right = host.objects.filter { Self.isStatement($0.key) }
        for (name, bytes) in right { host.put(Array(bytes.dropLast()), at: name) }
        second.clock.advance(by: 601)
        try second.exchange()
        #expect(host.objects.filter { Self.isStatement($0.key) } == right)
        // A device that joins needs every one of them.
        let third = try CircleDevice("phone", host)
        try third.join(try first.ask(InviteDevice(passcode: passcode)).code)
        try first.approve()
        try third.exchange()
        #expect(try third.report().membership == .member)
    }

    @Test("an altered part of a snapshot makes the device write another snapshot") func snapshot() throws {
        let second = try CircleDevice("desktop", host)
        let passcode = CircleDevice.secret(CircleDevice.passcode)
        try second.join(try first.ask(InviteDevice(passcode: passcode)).code)
        try first.approve()
        for _ in 0..<3 {
            try first.exchange()
            try second.exchange()
            for device in [first, second] { device.clock.advance(by: 40) }
        }
        func parts() -> [StoreObjectName] { names { if case .snapshotPart = $0 { true } else { false } } }
        let old = parts()
        #expect(!old.isEmpty)
        for name in old {
            var bytes = try #require(host.objects[name])
            bytes[bytes.count / 2] ^= 1
            host.put(bytes, at: name)
        }
        for _ in 0..<4 { try later() }
        #expect(parts().contains { !old.contains($0) }, "a snapshot with another number")
        #expect(try first.report().alarms.isEmpty)
    }

    @Test("nothing is read back at once after a start, and then every object in its turn") func paced() throws {
        #expect(!host.takeReadNames().contains(where: Self.isSegment))
        for number in 0..<140 {
            #expect(first.add("n\(number)", "secret") == .success)
            try first.exchange()
        }
        let segments = Set(names(Self.isSegment))
        #expect(segments.count > 128, "more than are read in one exchange")
        _ = host.takeReadNames()
        try later()
        #expect(!segments.isSubset(of: host.takeReadNames()))
        try later()
        try later()
        #expect(segments.isSubset(of: host.takeReadNames()))
    }
}
