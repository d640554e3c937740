import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// The hostile store of other tests does what it is told, and the same for the same seed.
@Suite("The adversarial store")
struct AdversaryTests {
    private let one = SampleObjects.device(1)
    private let other = SampleObjects.device(2)

    private func world(seed: UInt64 = 1) throws -> (StoreAdversary, AdversarialStore, AdversarialStore) {
        let adversary = StoreAdversary(generator: SplitMix(seed: seed))
        return (adversary, adversary.store(for: one), adversary.store(for: other))
    }

    @Test("goes back in time, as a whole or for one prefix") func rollBack() throws {
        let (adversary, store, _) = try world()
        let (first, second) = (SampleObjects.segment(1, of: one), SampleObjects.segment(2, of: one))
        let head = SampleObjects.object(.head)
        let mark = try store.publish([first: SampleObjects.object(.segment)], head: head, replacing: nil)
        let before = adversary.mark()
        let next = SampleObjects.object(.head, seed: 2)
        _ = try store.publish([second: SampleObjects.object(.segment)], head: next, replacing: mark)
        let after = adversary.mark()
        adversary.rollBack(to: before, .heads)
        #expect(try store.read([.head(one), second]).objects.count == 2)
        #expect(try holds(store, [.head(one): head]))
        adversary.rollBack(to: after)
        #expect(try holds(store, [.head(one): next]))
        adversary.rollBack(to: before)
        #expect(try store.list(second.prefix).names == [first])
    }

    @Test("shows devices different states") func views() throws {
        let (adversary, store, reader) = try world()
        let before = adversary.mark()
        let statement = StoreObjectName.statement(SampleObjects.hash(1))
        _ = try store.publish(
            [statement: SampleObjects.object(.statement)], head: SampleObjects.object(.head), replacing: nil)
        adversary.withhold(from: other, writtenBy: one)
        #expect(try reader.read([.head(one), statement]).objects.keys.sorted() == [statement])
        #expect(try store.read([.head(one)]).objects.count == 1)
        adversary.stopWithholding()
        adversary.freeze(other, at: before)
        #expect(try reader.list(.statements).names == [])
        adversary.thaw(other)
        #expect(try reader.list(.statements).names == [statement])
    }

    @Test("damages, exchanges, loses and plants objects") func damage() throws {
        let (adversary, store, _) = try world()
        let names = (UInt64(1)...3).map { SampleObjects.segment($0, of: one) }
        let objects = Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($1, SampleObjects.object(.segment, seed: UInt64($0))) })
        try store.create(objects)
        adversary.swap(names[0], names[1])
        #expect(try store.read([names[0]]).objects[names[0]] == objects[names[1]])
        adversary.truncate(names[0])
        #expect(try store.read([names[0]]).objects[names[0]] == nil)
        adversary.flipBit(of: names[2])
        let bytes = try #require(adversary.content.objects[names[2]])
        #expect(zip(bytes, try #require(objects[names[2]])).count { $0 != $1 } == 1)
        adversary.lose { $0 == names[2] }
        #expect(try store.list(names[0].prefix).names == Array(names.prefix(2)))
        adversary.put(SampleObjects.object(.segment, seed: 9), as: names[2])
        #expect(try store.read([names[2]]).objects.count == 1)
    }

    @Test("fails at the call that is named") func failures() throws {
        let (adversary, store, _) = try world()
        let name = SampleObjects.segment(1, of: one)
        let calls: [(AdversarialStore) throws -> Void] = [
            { _ = try $0.list(.heads) }, { _ = try $0.read([name]) },
            { try $0.create([name: SampleObjects.object(.segment)]) },
            { _ = try $0.publish([:], head: SampleObjects.object(.head), replacing: nil) }, { try $0.remove([name]) },
            { _ = try $0.waitForHint(until: Cancellation(seconds: 0)) },
        ]
        for failing in 1...calls.count {
            adversary.countCalls()
            adversary.fail(call: failing, with: .refused(.quota))
            for (position, call) in calls.enumerated() {
                if position + 1 == failing {
                    #expect(throws: StoreFailure.refused(.quota)) { try call(store) }
                } else {
                    try call(store)
                }
            }
            #expect(adversary.callCount == calls.count)
        }
    }

    /// The outcomes of a run in which everything may happen.
    private func run(seed: UInt64, _ mischief: Set<StoreMischief>) throws -> [String] {
        let (adversary, store, reader) = try world(seed: seed)
        adversary.misbehave(mischief, percent: 50)
        var outcomes: [String] = []
        func note(_ body: () throws(StoreFailure) -> String) {
            do throws(StoreFailure) { outcomes.append(try body()) } catch { outcomes.append("\(error)") }
        }
        var mark: HeadMark?
        for number in UInt64(1)...40 {
            let name = SampleObjects.segment(number, of: one)
            note { () throws(StoreFailure) in
                try store.create([name: SampleObjects.object(.segment, seed: number)])
                return "created"
            }
            note { () throws(StoreFailure) in
                mark = try store.publish([:], head: SampleObjects.object(.head, seed: number), replacing: mark)
                return "published"
            }
            note { () throws(StoreFailure) in "\(try reader.list(name.prefix).names)" }
            note { () throws(StoreFailure) in
                let reading = try reader.read([.head(one), name])
                return reading.objects.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.hashValueOfBytes)" }
                    .joined()
            }
            note { () throws(StoreFailure) in "\(try reader.waitForHint(until: Cancellation(seconds: 0)))" }
        }
        return outcomes
    }

    @Test("does the same for the same seed", arguments: [1, 2, 3] as [UInt64])
    func seeds(_ seed: UInt64) throws {
        let all = Set(StoreMischief.allCases)
        #expect(try run(seed: seed, all) == run(seed: seed, all))
        #expect(try run(seed: seed, all) != run(seed: seed + 10, all))
    }

    @Test("does each thing that it can do", arguments: StoreMischief.allCases.filter { $0 != .wakes && $0 != .sleeps })
    func each(_ mischief: StoreMischief) throws {
        #expect(try run(seed: 7, [mischief]) != run(seed: 7, []))
    }
}

extension [UInt8] {
    /// The same in every run, unlike `hashValue`.
    fileprivate var hashValueOfBytes: UInt64 {
        reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
