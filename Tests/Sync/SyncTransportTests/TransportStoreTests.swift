import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeySyncTransport
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// The daemon's side of the transport. That it is a store is tested with all other stores.
@Suite("The store behind the transport")
struct TransportStoreTests {
    private let device = SampleObjects.device(1)
    private let directory: TemporaryDirectory
    private let link: LoopLink
    private let store: any SyncStore

    init() throws {
        directory = try TemporaryDirectory()
        link = LoopLink(FolderCircles(in: directory.path))
        store = TransportCircles(link).store(of: SampleObjects.circle(1), writer: device)
    }

    @Test("divides what is too much for one message") func batches() throws {
        var objects: [StoreObjectName: [UInt8]] = [:]
        for number in UInt64(1)...9 {
            objects[SampleObjects.segment(number, of: device)] = SampleObjects.object(
                .segment, seed: number, bodyByteCount: 1 << 20)
        }
        _ = try store.publish(objects, head: SampleObjects.object(.head), replacing: nil)
        // The own head is read before the first of them.
        #expect(link.log.questions.count == 4 && link.log.questions.allSatisfy { $0.count <= 4 << 20 })
        let names = objects.keys.sorted()
        let isRead = try store.readAll(names).objects == objects
        #expect(isRead && link.log.answers.allSatisfy { $0.count <= 4 << 20 })
        link.log = .init()
        try store.remove((1...2_000).map { SampleObjects.segment($0, of: device) })
        #expect(link.log.questions.count == 2)
        #expect(try store.list(names[0].prefix).names == [])
    }

    @Test("has the circles of the folder") func circles() throws {
        #expect(try TransportCircles(link).circles() == [])
        try store.create([SampleObjects.segment(1, of: device): SampleObjects.object(.segment)])
        #expect(try TransportCircles(link).circles() == [SampleObjects.circle(1)])
    }

    @Test("tells which store it is") func text() throws {
        let named = LoopLink(FolderCircles(in: directory.path), text: "folder:/srv/sync")
        #expect(try TransportCircles(named).storeText() == "folder:/srv/sync")
        named.log.forged = TransportCoding.encode(TransportDone(), to: DescribeStore())
        #expect(throws: StoreFailure.self) { try TransportCircles(named).storeText() }
    }

    @Test("reports a transport that is gone, or another program") func failures() throws {
        link.log.failure = .unreachable
        #expect(throws: StoreFailure.unreachable(.noTransport)) { try store.list(.heads) }
        link.log.failure = .refused
        #expect(throws: StoreFailure.refused(.permission)) { try store.list(.heads) }
        link.log.failure = .cancelled
        #expect(try store.waitForHint(until: Cancellation()) == .none)
    }

    @Test("believes no answer to another question") func forged() throws {
        let seat = CircleSeat(circle: SampleObjects.circle(1), device: device)
        let (name, other) = (SampleObjects.segment(1, of: device), SampleObjects.segment(2, of: device))
        let bytes = SampleObjects.object(.segment)
        let answers: [[UInt8]] = [
            [], [1, 2, 3], TransportCoding.encode(TransportDone(), to: RemoveObjects(seat, [])),
            TransportCoding.encode(StoreReading(objects: [other: bytes]), to: ReadObjects(seat, [])),
            TransportCoding.encode(StoreReading(rest: [other]), to: ReadObjects(seat, [])),
            TransportCoding.encode(
                StoreReading(objects: [name: [UInt8](repeating: 0, count: name.byteLimit + 1)]),
                to: ReadObjects(seat, [])),
        ]
        for answer in answers {
            link.log.forged = answer
            #expect(throws: StoreFailure.self) { try store.read([name]) }
        }
        let (head, statement) = (StoreObjectName.head(device), StoreObjectName.statement(SampleObjects.hash(1)))
        let news = [
            StoreNews(statements: [head]), StoreNews(changed: [statement: bytes]), StoreNews(rest: [statement]),
            StoreNews(unchanged: [.head(SampleObjects.device(2))]), StoreNews(unchanged: [head], rest: [head]),
            StoreNews(unchanged: [head], changed: [head: bytes]),
            StoreNews(changed: [head: [UInt8](repeating: 0, count: head.byteLimit + 1)]),
        ]
        for news in news {
            link.log.forged = TransportCoding.encode(news, to: ReadNews(seat, knowing: [:]))
            #expect(throws: StoreFailure.self) { try store.news(knowing: [head: HeadMark(of: bytes)]) }
        }
        link.log.forged = TransportCoding.encode(
            StoreNews(statements: [statement], unchanged: [head]), to: ReadNews(seat, knowing: [:]))
        #expect(try store.news(knowing: [head: HeadMark(of: bytes)]).unchanged == [head])
        link.log.forged = TransportCoding.encode(StoreListing(names: [name]), to: ListObjects(seat, .heads))
        #expect(throws: StoreFailure.self) { try store.list(.heads) }
        #expect(try store.list(name.prefix).names == [name])
    }

    @Test("sends nothing that is above the limit of its kind") func tooLarge() throws {
        let name = SampleObjects.segment(1, of: device)
        #expect(throws: StoreFailure.unsuitable(name)) {
            try store.create([name: [UInt8](repeating: 0, count: name.byteLimit + 1)])
        }
        #expect(throws: StoreFailure.unsuitable(.head(device))) {
            let count = StoreObjectName.head(device).byteLimit + 1
            return try store.publish([:], head: [UInt8](repeating: 0, count: count), replacing: nil)
        }
        #expect(link.log.questions.isEmpty)
    }

    @Test("keeps a limited number of stores, and what they have shown") func seats() throws {
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .none)
        for number in UInt8(2)...40 {
            let other = TransportCircles(link).store(of: SampleObjects.circle(number), writer: device)
            #expect(try other.list(.heads).names == [])
        }
        // It was forgotten meanwhile: a hint too many.
        #expect(try store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
    }
}
