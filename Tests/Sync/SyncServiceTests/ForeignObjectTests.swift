import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySyncCore
import LatchkeySyncService
import LatchkeySyncStore
import LatchkeyTestSupport
import Testing

/// Objects that anyone who reaches the store can put there.
@Suite struct ForeignObjectTests {
    private let host = MemoryHost()

    private static func hash(_ number: UInt16) -> ObjectHash {
        ObjectHash([UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 9, count: 30))!
    }

    @Test("rubbish under names of statements and evidence is read once, and harms nothing") func rubbish() throws {
        let first = try CircleDevice("laptop", host)
        try first.found()
        try first.exchange()
        var names: Set<StoreObjectName> = []
        for number in 0..<40 as Range<UInt16> {
            for name in [StoreObjectName.statement(Self.hash(number)), .evidence(Self.hash(number))] {
                host.put([UInt8](repeating: 7, count: 300), at: name)
                names.insert(name)
            }
        }
        _ = host.takeReadNames()
        first.clock.advance(by: 601)
        try first.exchange()
        #expect(Set(host.takeReadNames()).isSuperset(of: names), "each is looked at")
        try first.exchange()
        #expect(names.isDisjoint(with: host.takeReadNames()))
        #expect(first.add("bob", "secret") == .success)
        try first.exchange()
        let report = try first.report()
        #expect(report.alarms.isEmpty && report.waitingChanges == 0)
    }

    @Test("a statement under the name of another is not taken for that one") func otherName() throws {
        let (first, second) = (try CircleDevice("laptop", host), try CircleDevice("desktop", host))
        try first.found()
        let statements = host.objects.filter { if case .statement = $0.key { true } else { false } }
        let copied = try #require(statements.values.first)
        host.put(copied, at: .statement(Self.hash(1)))
        try first.admit(second)
        try second.exchange()
        #expect(try second.report().membership == .member)
    }

    @Test("an object in the place of the next segment is removed, and the device goes on") func taken() throws {
        let first = try CircleDevice("laptop", host)
        try first.found()
        try first.exchange()
        let device = try #require(DeviceIdentifier(try first.report().device ?? []))
        for number in 1...3 as ClosedRange<UInt64> {
            let segment = StoreObjectName.segment(Dot(StreamIdentifier(device, .a), number))
            if host.objects[segment] == nil { host.put(try Self.wholeObject(), at: segment) }
        }
        #expect(first.add("bob", "secret") == .success)
        for _ in 0..<4 {
            try? first.exchange()
            first.clock.advance(by: 600)
        }
        try first.exchange()
        let report = try first.report()
        #expect(report.alarms.isEmpty && report.waitingChanges == 0)
    }

    /// An object with a whole frame and a random signature.
    private static func wholeObject() throws -> [UInt8] {
        let content = try Invitation(
            circle: CircleIdentifier([UInt8](repeating: 1, count: CircleIdentifier.byteCount))!,
            founding: hash(1), statementHeads: [hash(2)], member: DeviceIdentifier([UInt8](repeating: 1, count: 16))!
        ).content()
        return try ObjectFrame(content, signature: [UInt8](repeating: 1, count: 64)).bytes
    }
}
