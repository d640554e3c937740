import LatchkeySyncCore
import Testing

@Suite struct ConflictRetentionTests {
    private static let retention = ConflictRetention(.quickStore)
    private static let day = ReplicaLimits.day

    @Test("a conflict version is kept for 90 days of uptime") func age() {
        let kept: [Int: UInt64] = [1: 0, 2: 1, 3: 50 * Self.day]
        #expect(Self.retention.expired(kept, at: 90 * Self.day - 1) == [])
        #expect(Self.retention.expired(kept, at: 90 * Self.day) == [1])
        #expect(Self.retention.expired(kept, at: 140 * Self.day) == [1, 2, 3])
    }

    @Test("beyond 1,000 the oldest go first") func count() {
        let kept = Dictionary(uniqueKeysWithValues: (0..<1_003).map { ($0, UInt64($0) * 10) })
        #expect(Self.retention.expired(kept, at: Self.day) == [0, 1, 2])
    }

    @Test("an uptime that is behind removes nothing") func behind() {
        #expect(Self.retention.expired([1: 100 * Self.day], at: 0) == [])
    }
}
