import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// The contract of `SyncStore`, for each store.
@Suite("Every store")
struct EveryStoreTests {
    private let device = SampleObjects.device(1)

    @Test("shows one device what another one created, under its prefix", arguments: StoreKind.allCases)
    func creates(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let objects = SampleObjects.ofEachKind(by: world.one)
        try world.store(world.one).create(objects)
        let reader = world.store(world.other)
        #expect(try holds(reader, objects))
        for name in objects.keys {
            let expected = objects.keys.filter { $0.prefix == name.prefix }.sorted()
            #expect(try reader.list(name.prefix) == StoreListing(names: expected))
        }
    }

    @Test("has nothing at the beginning", arguments: StoreKind.allCases)
    func empty(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        for name in SampleObjects.ofEachKind(by: world.one).keys {
            #expect(try store.list(name.prefix) == StoreListing())
            #expect(try store.read([name]) == StoreReading())
        }
        try store.create([:])
        #expect(try store.read([]) == StoreReading())
    }

    @Test("takes the same bytes again, and other bytes never", arguments: StoreKind.allCases)
    func taken(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        let objects = SampleObjects.ofEachKind(by: world.one)
        try store.create(objects)
        try store.create(objects)
        for (name, bytes) in objects {
            let others = SampleObjects.object(name.kinds[0], seed: 99)
            #expect(throws: StoreFailure.taken(name)) { try store.create([name: others]) }
            #expect(try holds(store, [name: bytes]))
        }
    }

    @Test("replaces a head that is the expected one", arguments: StoreKind.allCases)
    func heads(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let (store, name) = (world.store(world.one), StoreObjectName.head(world.one))
        let heads = (1...3).map { SampleObjects.object(.head, seed: UInt64($0)) }
        let segment = SampleObjects.segment(1, of: world.one)
        let bytes = SampleObjects.object(.segment)
        let first = try store.publish([segment: bytes], head: heads[0], replacing: nil)
        #expect(first == HeadMark(of: heads[0]))
        #expect(try holds(store, [name: heads[0], segment: bytes]))
        // The answer to a call that was done may be lost.
        #expect(try store.publish([:], head: heads[0], replacing: nil) == first)
        #expect(throws: StoreFailure.headReplaced) { try store.publish([:], head: heads[1], replacing: nil) }
        let second = try store.publish([:], head: heads[1], replacing: first)
        #expect(throws: StoreFailure.headReplaced) { try store.publish([:], head: heads[2], replacing: first) }
        #expect(try holds(store, [name: heads[1]]))
        _ = try store.publish([:], head: heads[2], replacing: second)
        #expect(try world.store(world.other).list(.heads).names == [name])
    }

    @Test("creates nothing beside a head that is not the expected one", arguments: StoreKind.allCases)
    func foreignHead(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        let heads = (1...3).map { SampleObjects.object(.head, seed: UInt64($0)) }
        _ = try store.publish([:], head: heads[0], replacing: nil)
        // More objects than one transaction of etcd takes, and more bytes than a message.
        let objects = Dictionary(
            uniqueKeysWithValues: (1...200 as ClosedRange<UInt64>).map {
                let object = SampleObjects.object(.segment, seed: $0, bodyByteCount: $0 <= 5 ? 1 << 20 : 100)
                return (SampleObjects.segment($0, of: world.one), object)
            })
        func expectNothing(_ replaced: HeadMark?) throws {
            #expect(throws: StoreFailure.headReplaced) {
                try store.publish(objects, head: heads[1], replacing: replaced)
            }
            #expect(try store.list(SampleObjects.segment(1, of: world.one).prefix).names == [])
        }
        for replaced in [nil, HeadMark(of: heads[2])] { try expectNothing(replaced) }
        // A head that is lost is not the expected one either: the device has to find out.
        try store.remove([.head(world.one)])
        try expectNothing(HeadMark(of: heads[0]))
        _ = try store.publish([:], head: heads[0], replacing: nil)
        _ = try store.publish(objects, head: heads[1], replacing: HeadMark(of: heads[0]))
        let isWhole = try store.readAll(objects.keys.sorted()).objects == objects
        #expect(try isWhole && holds(store, [.head(world.one): heads[1]]))
    }

    @Test("tells the statements, and the heads that are not as they are known", arguments: StoreKind.allCases)
    func news(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let (store, other) = (world.store(world.one), world.store(world.other))
        #expect(try store.news(knowing: [.head(world.one): HeadMark(of: [])]) == StoreNews())
        let statement = StoreObjectName.statement(SampleObjects.hash(4))
        try store.create([statement: SampleObjects.object(.statement)])
        let heads = (1...3).map { SampleObjects.object(.head, seed: UInt64($0)) }
        let first = try store.publish([:], head: heads[0], replacing: nil)
        let second = try other.publish([:], head: heads[1], replacing: nil)
        let names = (one: StoreObjectName.head(world.one), other: StoreObjectName.head(world.other))
        #expect(
            try store.news(knowing: [:])
                == StoreNews(statements: [statement], changed: [names.one: heads[0], names.other: heads[1]]))
        let known = [names.one: first, names.other: second]
        #expect(
            try store.news(knowing: known) == StoreNews(statements: [statement], unchanged: [names.one, names.other]))
        _ = try other.publish([:], head: heads[2], replacing: second)
        #expect(
            try store.news(knowing: known)
                == StoreNews(statements: [statement], unchanged: [names.one], changed: [names.other: heads[2]]))
        try other.remove([names.other])
        #expect(try store.news(knowing: known) == StoreNews(statements: [statement], unchanged: [names.one]))
    }

    @Test("leaves heads to other answers that are too much for one", arguments: StoreKind.allCases)
    func muchNews(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        var heads: [StoreObjectName: [UInt8]] = [:]
        for number in 1...40 as ClosedRange<UInt8> {
            let device = SampleObjects.device(number)
            let head = SampleObjects.object(.head, seed: UInt64(number), bodyByteCount: 30 << 10)
            _ = try world.store(device).publish([:], head: head, replacing: nil)
            heads[.head(device)] = head
        }
        let store = world.store(world.one)
        let news = try store.news(knowing: [:])
        #expect(!news.rest.isEmpty && news.unchanged.isEmpty)
        #expect(news.changed.reduce(0) { $0 + $1.value.count } <= StoreLimits.newsByteCount)
        let all = news.changed.merging(try store.readAll(news.rest).objects) { $1 }
        #expect(all == heads)
    }

    @Test("writes no head before its objects", arguments: StoreKind.allCases)
    func order(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let (store, segment) = (world.store(world.one), SampleObjects.segment(1, of: world.one))
        try store.create([segment: SampleObjects.object(.segment, seed: 7)])
        #expect(throws: StoreFailure.taken(segment)) {
            try store.publish(
                [segment: SampleObjects.object(.segment, seed: 8)], head: SampleObjects.object(.head), replacing: nil)
        }
        #expect(try store.list(.heads).names == [])
    }

    @Test("removes objects, once and again", arguments: StoreKind.allCases)
    func removes(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        let objects = SampleObjects.ofEachKind(by: world.one)
        try store.create(objects)
        let kept = SampleObjects.segment(2, of: world.one, .a)
        try store.create([kept: SampleObjects.object(.segment)])
        for _ in 0..<2 {
            try store.remove(Array(objects.keys))
            #expect(try store.read(Array(objects.keys)) == StoreReading())
        }
        #expect(try store.list(kept.prefix).names == [kept])
        try store.create(objects)
        #expect(try holds(store, objects))
    }

    @Test("shows no half objects, and writes the whole one in their place", arguments: StoreKind.allCases)
    func halves(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        let name = SampleObjects.segment(1, of: world.one)
        let whole = SampleObjects.object(.segment)
        for half in [Array(whole.dropLast()), Array(whole.prefix(3)), whole + [0], [UInt8](repeating: 0, count: 700)] {
            try store.create([name: whole])
            try world.put(half, as: name)
            #expect(try store.read([name]) == StoreReading(damaged: [name]))
            try store.create([name: whole])
            #expect(try holds(store, [name: whole]))
        }
        try world.put([], as: name)
        #expect(try store.read([name]) == StoreReading())
        try world.put(SampleObjects.object(.snapshotPart), as: name)
        #expect(try store.read([name]).damaged == [name], "an object of another kind")
    }

    @Test("hands on objects of a later version", arguments: StoreKind.allCases)
    func laterVersion(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        let name = SampleObjects.segment(1, of: world.one)
        try store.create([name: SampleObjects.object(.segment)])
        let later = Array("LKSY".utf8) + [2, 200, 1, 2, 3, 4, 5]
        try world.put(later, as: name)
        #expect(try holds(store, [name: later]))
    }

    @Test("refuses what does not belong under a name", arguments: StoreKind.allCases)
    func unsuitable(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        let segment = SampleObjects.segment(1, of: world.one)
        let copy = StoreObjectName.headCopy(world.one, try #require(ConflictTag("20260101-000000-ABCDEFG")))
        let head = SampleObjects.object(.head)
        for (name, bytes) in [
            (segment, []), (segment, head), (segment, [UInt8](repeating: 1, count: segment.byteLimit + 1)),
            (.head(world.one), head), (copy, head), (.statement(SampleObjects.hash(1)), Array(head.dropLast())),
        ] {
            #expect(throws: StoreFailure.unsuitable(name)) { try store.create([name: bytes]) }
        }
        #expect(throws: StoreFailure.unsuitable(.head(world.one))) {
            try store.publish([:], head: SampleObjects.object(.segment), replacing: nil)
        }
    }

    @Test("answers in parts what is too much for one message", arguments: StoreKind.allCases)
    func parts(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        var objects: [StoreObjectName: [UInt8]] = [:]
        for number in 1...9 {
            objects[SampleObjects.segment(UInt64(number), of: world.one)] = SampleObjects.object(
                .segment, seed: UInt64(number), bodyByteCount: 1 << 20)
        }
        try store.create(objects)
        let names = objects.keys.sorted()
        let first = try store.read(names)
        #expect(first.objects.count == 3 && first.rest == Array(names.dropFirst(3)))
        let all = try store.readAll(names)
        let isWhole = all.objects == objects && all.rest.isEmpty
        #expect(isWhole)
        let limited = try store.readAll(names, byteLimit: 1)
        #expect(limited.objects.count == 3 && limited.rest == Array(names.dropFirst(3)))
    }

    @Test("wakes a device when another one publishes", arguments: StoreKind.allCases)
    func hints(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let (writer, reader) = (world.store(world.one), world.store(world.other))
        // The first call reports what was there before.
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .none)
        func expectHint() throws {
            #expect(try reader.waitForHint(until: Cancellation()) == .changed)
            #expect(try reader.waitForHint(until: Cancellation(seconds: 0)) == .none, "reported once")
        }
        var mark: HeadMark?
        for number in 1...3 {
            mark = try writer.publish(
                [:], head: SampleObjects.object(.head, seed: UInt64(number)), replacing: mark)
            try expectHint()
        }
        try writer.create([.statement(SampleObjects.hash(4)): SampleObjects.object(.statement)])
        try expectHint()
        try writer.create([.exchange(SampleObjects.exchange(4)): SampleObjects.object(.joinRequest)])
        try expectHint()
        // One that comes between a report and the next wait is not lost.
        for number in 4...6 {
            mark = try writer.publish(
                [:], head: SampleObjects.object(.head, seed: UInt64(number)), replacing: mark)
            if number == 4 { #expect(try reader.waitForHint(until: Cancellation()) == .changed) }
        }
        #expect(try reader.waitForHint(until: Cancellation()) == .changed)
    }

    @Test("ends a wait when it is cancelled", arguments: StoreKind.allCases)
    func cancels(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let store = world.store(world.one)
        _ = try store.waitForHint(until: Cancellation(seconds: 0))
        let wait = Cancellation()
        #expect(DetachedThread.start { wait.cancel() })
        #expect(try store.waitForHint(until: wait) == .none)
    }

    @Test("takes the writes of several threads", arguments: StoreKind.allCases)
    func threads(_ kind: StoreKind) throws {
        let world = try StoreWorld(kind)
        let stores = [world.one, world.other].map { ($0, world.store($0)) }
        let shared = (1...20).map {
            (StoreObjectName.statement(SampleObjects.hash($0)), SampleObjects.object(.statement, seed: $0))
        }
        onThreads(stores.count) { index in
            let (device, store) = stores[index]
            for number in UInt64(1)...20 {
                let (name, bytes) = shared[Int(number) - 1]
                let own = SampleObjects.segment(number, of: device)
                #expect(throws: Never.self) {
                    try store.create([own: SampleObjects.object(.segment, seed: number), name: bytes])
                }
            }
        }
        #expect(try stores[0].1.list(.statements).names == shared.map(\.0).sorted())
        for (device, store) in stores {
            #expect(try store.list(.segments(StreamIdentifier(device, .c))).names.count == 20)
        }
    }
}
