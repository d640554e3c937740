import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import Testing

@Suite struct DeletedKeysTests {
    /// Identifiers that begin with a number each.
    static func identifiers(_ numbers: some Sequence<Int>) -> [EnclaveKeyIdentifier] {
        numbers.compactMap { number in
            EnclaveKeyIdentifier(
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - $0 * 8)) } + [UInt8](repeating: 9, count: 12))
        }
    }

    @Test("an identifier is its sixteen bytes, and nothing of another length") func bytes() throws {
        let bytes = Array(UInt8(240)...255)
        #expect(try #require(EnclaveKeyIdentifier(bytes)).bytes == bytes)
        for count in [0, 1, 8, 15, 17, 32] {
            #expect(EnclaveKeyIdentifier([UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test("identifiers are ordered as their bytes are", arguments: [0, 7, 8, 15])
    func order(place: Int) throws {
        var low = [UInt8](repeating: 0x80, count: 16)
        var high = low
        low[place] = 0x7F
        high[place] = 0x81
        if place < 15 { low[place + 1] = 0xFF }
        #expect(try #require(EnclaveKeyIdentifier(low)) < #require(EnclaveKeyIdentifier(high)))
        #expect(!(try #require(EnclaveKeyIdentifier(high)) < #require(EnclaveKeyIdentifier(low))))
    }

    @Test("what is added is in the list, once and in order, and nothing else is", arguments: 0..<8)
    func adding(seed: UInt64) throws {
        var state = seed &+ 77
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var list = DeletedKeys()
        var all = Set<Int>()
        for _ in 0..<40 {
            let more = (0..<random(6)).map { _ in random(60) }
            list = try #require(list.adding(Self.identifiers(more)))
            all.formUnion(more)
            #expect(list.identifiers == Self.identifiers(all.sorted()))
            for number in 0..<60 {
                let identifier = try #require(Self.identifiers([number]).first)
                #expect(list.contains(identifier) == all.contains(number), "seed \(seed), \(number)")
            }
        }
    }

    @Test("a list that does not ascend is refused") func notAscending() {
        #expect(DeletedKeys(ascending: Self.identifiers([1, 2, 3])) != nil)
        for numbers in [[2, 1], [1, 1], [1, 3, 2], [1, 2, 2]] {
            #expect(DeletedKeys(ascending: Self.identifiers(numbers)) == nil)
        }
    }

    @Test("the list has an end, and known keys are not counted again") func limit() throws {
        let all = Self.identifiers(0...DeletedKeys.limit)
        #expect(DeletedKeys(ascending: all) == nil)
        let full = try #require(DeletedKeys(ascending: all.dropLast()))
        #expect(full.adding([all[5], all[6]]) == full)
        #expect(full.adding(all.suffix(1)) == nil)
        #expect(full.adding([all[5]] + all.suffix(1)) == nil)
    }
}
