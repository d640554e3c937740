import LatchkeyItemDatabase
import Testing

@testable import LatchkeySyncService

/// The portions in which a replica is told of many changes.
@Suite struct ChangePortionTests {
    private static func row(_ number: Int64, partner: Int64? = nil) -> SyncChangeRow {
        SyncChangeRow(name: name(number), number: number, kind: .deletedEverywhere, partner: partner.map(name))
    }

    private static func name(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    @Test("few changes are one portion, in the order of their numbers") func few() {
        let portions = LocalChanges.portions(of: [3, 1, 2].map { Self.row($0) })
        #expect(portions.map { $0.map(\.number) } == [[1, 2, 3]])
        #expect(LocalChanges.portions(of: []).isEmpty)
    }

    @Test("many changes are told in portions, each of which ends before the next one begins") func many() {
        let portions = LocalChanges.portions(of: (1...1_000).reversed().map { Self.row($0) })
        #expect(portions.map(\.count) == [256, 256, 256, 232])
        #expect(portions.flatMap { $0.map(\.number) } == Array(1...1_000))
    }

    @Test("both names of a primary key change are in one portion") func renames() {
        var rows = (1...600).map { Self.row($0) }
        rows[9] = Self.row(10, partner: 400)
        rows[399] = Self.row(400, partner: 10)
        #expect(LocalChanges.portions(of: rows).map(\.count) == [400, 200])
    }
}
