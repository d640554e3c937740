import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncCore

@Suite struct ItemTableTests {
    private static func item(_ numbers: inout SplitMix) -> KnownItem {
        func device() -> DeviceIdentifier { Sample.device(UInt8.random(in: 1...9, using: &numbers)) }
        func version() -> ItemVersion {
            ItemVersion(
                epoch: EpochNumber(.random(in: 1...(.max), using: &numbers)), time: numbers.next(),
                count: .random(in: 0...(.max), using: &numbers), device: device())
        }
        func chance() -> Bool { Bool.random(using: &numbers) }
        let zones = ZoneClass.allCases
        let stream = StreamIdentifier(device(), zones[chance() ? 0 : 1])
        return KnownItem(
            version: version(), base: chance() ? version() : nil, dot: chance() ? Dot(stream, numbers.next()) : nil,
            state: [.live, .gone, .absentHere, .missing].randomElement(using: &numbers) ?? .live,
            zone: zones[chance() ? 0 : 1], digest: chance() ? Sample.hash(numbers.next()) : nil)
    }

    @Test("the table answers as a dictionary does, whatever is put and removed") func dictionary() {
        var numbers = SplitMix(seed: 71)
        var (table, model) = (ItemTable(), [ItemName: KnownItem]())
        for _ in 0..<4_000 {
            let name = Sample.name(UInt8.random(in: 0..<60, using: &numbers))
            let item = UInt8.random(in: 0..<3, using: &numbers) == 0 ? nil : Self.item(&numbers)
            (table[name], model[name]) = (item, item)
            #expect(table[name] == model[name] && table.count == model.count)
        }
        #expect(model.count > 20)
        #expect(Dictionary(uniqueKeysWithValues: table.map { ($0.key, $0.value) }) == model)
        #expect(Set(table.keys) == Set(model.keys) && table.values.count == model.count)
    }

    @Test("names of which there are many are found, also after others were removed") func manyNames() {
        var numbers = SplitMix(seed: 74)
        let item = Self.item(&numbers)
        var (table, model) = (ItemTable(), Set<ItemName>())
        for step in 0..<30_000 {
            let name = ItemName(high: .random(in: 0..<5_000, using: &numbers), low: 1)
            // Three quarters of the steps add at first, and remove in the end.
            let adds = UInt8.random(in: 0..<4, using: &numbers) > 0
            if adds == (step < 15_000) {
                table[name] = item
                model.insert(name)
            } else {
                table[name] = nil
                model.remove(name)
            }
        }
        #expect(model.count > 500 && Set(table.keys) == model && table.count == model.count)
        for high in 0..<5_000 as Range<UInt64> {
            let name = ItemName(high: high, low: 1)
            #expect((table[name] != nil) == model.contains(name))
        }
    }

    @Test("names that another member chose with a half in common are apart in a table") func chosenNames() {
        func slots(_ names: some Sequence<ItemName>) -> Int { Set(names.map { $0.hashValue & 0xFFFF }).count }
        // Of 1,000 places among 65,536 a few are the same by chance.
        #expect(slots((0..<1_000 as Range<UInt64>).lazy.map { ItemName(high: 1, low: $0) }) > 900)
        #expect(slots((0..<1_000 as Range<UInt64>).lazy.map { ItemName(high: $0, low: 1) }) > 900)
    }

    @Test("two tables with the same items are equal, whatever the order in which they came") func order() {
        var numbers = SplitMix(seed: 72)
        let items = (0..<20).map { (Sample.name(UInt8($0)), Self.item(&numbers)) }
        var (one, other) = (ItemTable(), ItemTable())
        for (name, item) in items { one[name] = item }
        for (name, item) in items.reversed() { other[name] = item }
        #expect(one == other && one.hashValue == other.hashValue)
        other[items[3].0] = items[4].1
        #expect(one != other)
        other[items[3].0] = nil
        #expect(one != other)
    }

    @Test("devices that no row names any more are forgotten") func devices() {
        var table = ItemTable()
        var numbers = SplitMix(seed: 73)
        func device(_ number: UInt64) -> DeviceIdentifier { DeviceIdentifier(high: number, low: 1) }
        for number in 0..<500 as Range<UInt64> {
            var item = Self.item(&numbers)
            item.version = ItemVersion(epoch: .first, time: number, count: 0, device: device(3 * number))
            item.base = ItemVersion(epoch: .first, time: 0, count: 0, device: device(3 * number + 1))
            item.dot = Dot(StreamIdentifier(device(3 * number + 2), .c), number)
            table[Sample.name(UInt8(number % 5))] = item
            #expect(table[Sample.name(UInt8(number % 5))] == item)
        }
        #expect(table.count == 5 && table.devices.count < 100)
    }
}
