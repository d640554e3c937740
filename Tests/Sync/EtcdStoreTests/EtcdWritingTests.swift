import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// The powers and limits that only a server has. The contract of stores is in `EveryStoreTests`.
@Suite("A store in etcd")
struct EtcdWritingTests {
    private let stage: EtcdStage

    init() throws { stage = EtcdStage(try EtcdCluster()) }

    private func revision() throws -> String {
        let answer = try stage.cluster.control("get", stage.key(.head(stage.one)), "-w", "json")
        return try #require(answer.firstMatch(of: /"revision":(\d+)/)).output.1.description
    }

    @Test("publishes objects and head in one transaction, also where it has to look first") func atOnce() throws {
        let store = try stage.store()
        let heads = (1...4).map { SampleObjects.object(.head, seed: $0) }
        func objects(_ number: UInt64) -> [StoreObjectName: [UInt8]] {
            [
                stage.segment(number): SampleObjects.object(.segment, seed: number),
                .statement(SampleObjects.hash(number)): SampleObjects.object(.statement, seed: number),
            ]
        }
        let first = try store.publish(objects(1), head: heads[0], replacing: nil)
        #expect(try revision() == "2")
        let second = try store.publish(objects(2), head: heads[1], replacing: first)
        #expect(try revision() == "3")
        // Another process of the device reads its head before it publishes.
        let next = try stage.store()
        let found = try next.read([.head(stage.one)]).objects[.head(stage.one)]
        #expect(found.map { HeadMark(of: $0) } == second)
        let third = try next.publish(objects(3), head: heads[2], replacing: second)
        #expect(try revision() == "4")
        // The one before does not know: it looks at the head first, and finds that it was replaced.
        #expect(throws: StoreFailure.headReplaced) { try store.publish([:], head: heads[3], replacing: second) }
        #expect(throws: StoreFailure.headReplaced) { try store.publish([:], head: heads[3], replacing: nil) }
        #expect(try revision() == "4")
        _ = try store.publish(objects(4), head: heads[3], replacing: third)
        #expect(try revision() == "5")
    }

    @Test("divides what is more than a transaction takes, and writes the head last") func large() throws {
        let store = try stage.store()
        var objects: [StoreObjectName: [UInt8]] = [:]
        for number in 1...250 {
            objects[stage.segment(UInt64(number))] = SampleObjects.object(.segment, seed: UInt64(number))
        }
        for number in 251...255 {
            objects[stage.segment(UInt64(number))] = SampleObjects.object(
                .segment, seed: UInt64(number), bodyByteCount: 1 << 20)
        }
        let head = SampleObjects.object(.head, bodyByteCount: 30 << 10)
        let mark = try store.publish(objects, head: head, replacing: nil)
        #expect(mark == HeadMark(of: head))
        let reader = try stage.store(stage.other)
        let all = try reader.readAll(objects.keys.sorted() + [.head(stage.one)])
        #expect(all.objects.count == objects.count + 1 && all.rest.isEmpty && all.damaged.isEmpty)
        let isSame = objects.allSatisfy { all.objects[$0.key] == $0.value }
        #expect(isSame)
        #expect(try reader.list(.segments(StreamIdentifier(stage.one, .c))).names == objects.keys.sorted())
    }

    @Test("takes an object of the greatest size, with its head") func greatest() throws {
        let store = try stage.store()
        let name = stage.segment(1)
        let frame = SampleObjects.object(.segment, bodyByteCount: 0).count
        let bytes = SampleObjects.object(.segment, bodyByteCount: name.byteLimit - frame - 64)
        #expect(bytes.count == name.byteLimit)
        let head = SampleObjects.object(.head, bodyByteCount: 32_000)
        _ = try store.publish([name: bytes], head: head, replacing: nil)
        let isThere = try store.read([name]).objects[name] == bytes
        #expect(isThere)
    }

    @Test("lists over several pages, and counts what is foreign") func pages() throws {
        var options = EtcdOptions()
        options.pageEntries = 7
        let store = try stage.store(nil, EtcdAccess(), options)
        let objects = Dictionary(
            uniqueKeysWithValues: (1...30).map { (stage.segment($0), SampleObjects.object(.segment, seed: $0)) })
        try store.create(objects)
        let root = "/latchkey/\(EtcdStage.circle)/c/\(stage.one)/"
        for foreign in ["x", "000000000000000G", "0000000000000001/x", "00000000000000010"] {
            try stage.cluster.put([1], at: root + foreign)
        }
        // Beside the prefix, and not under it.
        try stage.cluster.put([1], at: String(root.dropLast()) + "0")
        let listing = try store.list(.segments(StreamIdentifier(stage.one, .c)))
        #expect(listing == StoreListing(names: objects.keys.sorted(), foreignCount: 4))
        let copy = "/latchkey/\(EtcdStage.circle)/h/\(stage.one).sync-conflict-20260101-000000-ABCDEFG"
        try stage.cluster.put(SampleObjects.object(.head), at: copy)
        #expect(try store.list(.heads) == StoreListing(foreignCount: 1))
    }

    @Test("reads values that are longer than any object as damaged, and the others beside them") func longValues()
        throws
    {
        let store = try stage.store()
        let names = (1...12).map { stage.segment($0) }
        for (index, name) in names.enumerated() {
            if index.isMultiple(of: 2) {
                try stage.cluster.put([UInt8](repeating: 1, count: 1_500_000), at: stage.key(name))
            } else {
                try store.create([name: SampleObjects.object(.segment, seed: UInt64(index))])
            }
        }
        let reading = try store.read(names)
        #expect(reading.objects.count == 6 && reading.damaged.count == 6 && reading.rest.isEmpty)
        #expect(try store.list(.segments(StreamIdentifier(stage.one, .c))).names == names)
    }

    @Test("tells its circles, whatever else is in the store") func circles() throws {
        let circles = try stage.circles()
        #expect(try circles.circles() == [])
        let made = [SampleObjects.circle(9), SampleObjects.circle(1), SampleObjects.circle(0xFF)]
        for circle in made {
            let store = circles.store(of: circle, writer: stage.one)
            for number in UInt64(1)...3 { try store.create([stage.segment(number): SampleObjects.object(.segment)]) }
        }
        let other = String(repeating: "ab", count: 16)
        for key in [
            "/latchkey/x", "/latchkey/\(other)", "/latchkey//", "/latchkey/\(other.uppercased())/h",
            "/latchkez/\(other)/h",
        ] {
            try stage.cluster.put([1], at: key)
        }
        #expect(try circles.circles() == made.sorted())
    }

    @Test("every write may be repeated, also by two processes at once") func repeated() throws {
        let stores = try (0..<4).map { _ in try stage.store() }
        let objects = Dictionary(
            uniqueKeysWithValues: (1...20).map { (stage.segment($0), SampleObjects.object(.segment, seed: $0)) })
        let head = SampleObjects.object(.head)
        onThreads(stores.count) { index in
            #expect(throws: Never.self) {
                for _ in 0..<3 { _ = try stores[index].publish(objects, head: head, replacing: nil) }
            }
        }
        #expect(try stores[0].list(.heads).names == [.head(stage.one)])
        try stores[0].remove(Array(objects.keys) + [stage.segment(99)])
        #expect(try stores[1].read(objects.keys.sorted()) == StoreReading())
        try stores[0].remove([])
    }

    @Test("neither the own head nor a removal is news") func ownHead() throws {
        let (store, other) = (try stage.store(), try stage.store(stage.other))
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        let mark = try store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        try other.create([.exchange(SampleObjects.exchange(1)): SampleObjects.object(.invitation)])
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        try other.remove([.exchange(SampleObjects.exchange(1))])
        _ = try store.publish([:], head: SampleObjects.object(.head, seed: 2), replacing: mark)
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .none)
        // The same by a watch, which sees both again before the news comes.
        let waited = Pending { try? store.waitForHint(until: Cancellation()) }
        _ = try other.publish([:], head: SampleObjects.object(.head, seed: 3), replacing: nil)
        #expect(waited.value == .changed)
    }
}
