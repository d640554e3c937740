import LatchkeySyncCore
import LatchkeySyncSimulation
import Testing

/// Vectors and tables of streams against dictionaries that are given the same values.
@Suite struct VersionVectorTests {
    private static let streams = (1...9).flatMap { number in
        ZoneClass.allCases.map { StreamIdentifier(Sample.device(UInt8(number * 37 % 10)), $0) }
    }

    private static func numbers(_ seed: UInt64) -> [StreamIdentifier: UInt64] {
        var random = SeededNumbers(seed: seed)
        var numbers: [StreamIdentifier: UInt64] = [:]
        for stream in streams where random.chance(60) { numbers[stream] = random.below(4 as UInt64) }
        return numbers
    }

    @Test("a vector has the numbers that it was given, however it was made", arguments: 1...20 as ClosedRange<UInt64>)
    func numbers(seed: UInt64) {
        let numbers = Self.numbers(seed)
        var vector = VersionVector(Self.numbers(seed + 100))
        for stream in Self.streams { vector[stream] = numbers[stream] ?? 0 }
        #expect(vector == VersionVector(numbers))
        #expect(Self.streams.allSatisfy { vector[$0] == numbers[$0] ?? 0 })
        #expect(vector.streams == numbers.filter { $0.value > 0 }.keys.sorted())
    }

    @Test("a vector covers another, and is united with it, stream by stream", arguments: 1...40 as ClosedRange<UInt64>)
    func comparisons(seed: UInt64) {
        let (left, right) = (Self.numbers(seed), Self.numbers(seed + 1))
        let vectors = (VersionVector(left), VersionVector(right))
        let covers = Self.streams.allSatisfy { left[$0] ?? 0 >= right[$0] ?? 0 }
        #expect(vectors.0.covers(vectors.1) == covers)
        var union = vectors.0
        union.formUnion(vectors.1)
        #expect(union == VersionVector(left.merging(right) { max($0, $1) }))
        #expect(union.covers(vectors.0) && union.covers(vectors.1))
    }

    @Test("a table has the last value of each stream, in their order", arguments: 1...20 as ClosedRange<UInt64>)
    func table(seed: UInt64) {
        var table: StreamTable<UInt64> = [:]
        var expected: [StreamIdentifier: UInt64] = [:]
        var random = SeededNumbers(seed: seed)
        for _ in 0..<60 {
            let stream = Self.streams[random.below(Self.streams.count)]
            let value: UInt64? = random.chance(30) ? nil : random.below(9 as UInt64)
            table[stream] = value
            expected[stream] = value
        }
        #expect(table.entries.map(\.stream) == expected.keys.sorted())
        #expect(Self.streams.allSatisfy { table[$0] == expected[$0] })
        #expect(table.mapValues { $0 + 1 }.entries.map(\.value) == table.entries.map { $0.value + 1 })
    }
}
