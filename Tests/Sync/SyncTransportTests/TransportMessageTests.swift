import LatchkeyPropertyListDER
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeySyncTransport
import LatchkeyTestSupport
import Testing

/// The bytes of `Docs/Formats/sync.md`, "Transport".
@Suite("Messages of the transport")
struct TransportMessageTests {
    private static let seat = CircleSeat(circle: SampleObjects.circle(1), device: SampleObjects.device(2))
    private static let objects = SampleObjects.ofEachKind(by: seat.device)
    private static let names = objects.keys.sorted()
    private static let mark = HeadMark(of: [1])

    private static let questions: [any TransportQuestion] = [
        ListCircles(), ListObjects(seat, .heads), ListObjects(seat, .segments(StreamIdentifier(seat.device, .a))),
        ReadObjects(seat, names), CreateObjects(seat, objects), CreateObjects(seat, [:]),
        PublishHead(seat, objects, head: [1, 2], replacing: mark), PublishHead(seat, [:], head: [], replacing: nil),
        RemoveObjects(seat, names), AwaitHint(seat, seconds: 7), DescribeStore(),
        ReadNews(seat, knowing: [.head(seat.device): mark]), ReadNews(seat, knowing: [:]),
    ]

    @Test("are read as they were written") func questions() throws {
        #expect(Set(TransportQuestions.all.map { $0.number }).count == TransportQuestions.all.count)
        for question in Self.questions {
            let body = TransportCoding.encode(question)
            let read = try TransportCoding.decodeQuestion(body)
            #expect(type(of: read) == type(of: question) && read.fields == question.fields)
            #expect(TransportCoding.encode(read) == body)
        }
    }

    private func expectRead<Question: TransportQuestion>(
        _ answer: Question.Answer, to question: Question
    ) throws where Question.Answer: Equatable {
        let body = TransportCoding.encode(answer, to: question)
        let isSame = try TransportCoding.decodeAnswer(to: question, body) == .success(answer)
        #expect(isSame, "\(Question.self)")
    }

    @Test("carry every answer") func answers() throws {
        try expectRead(CircleList([SampleObjects.circle(1), SampleObjects.circle(2)]), to: ListCircles())
        try expectRead(
            StoreListing(names: Self.names, foreignCount: 3, isComplete: false), to: ListObjects(Self.seat, .heads))
        try expectRead(
            StoreReading(objects: Self.objects, damaged: [Self.names[0]], rest: Array(Self.names[1...2])),
            to: ReadObjects(Self.seat, Self.names))
        try expectRead(
            StoreNews(
                statements: [Self.names[0]], unchanged: [Self.names[1]], changed: Self.objects, rest: [Self.names[2]]),
            to: ReadNews(Self.seat, knowing: [:]))
        try expectRead(TransportDone(), to: CreateObjects(Self.seat, [:]))
        try expectRead(Self.mark, to: PublishHead(Self.seat, [:], head: [1], replacing: nil))
        try expectRead(TransportDone(), to: RemoveObjects(Self.seat, []))
        try expectRead(StoreText("folder:/srv/Schlüssel"), to: DescribeStore())
        for hint in StoreHint.allCases { try expectRead(hint, to: AwaitHint(Self.seat, seconds: 1)) }
    }

    @Test("carry every failure") func failures() throws {
        let failures: [StoreFailure] =
            StoreFailure.Absence.allCases.map { .unreachable($0) } + StoreFailure.Refusal.allCases.map { .refused($0) }
            + [.taken(Self.names[0]), .headReplaced, .unsuitable(Self.names[1]), .system(5)]
        for failure in failures {
            let read = try TransportCoding.decodeAnswer(to: ListCircles(), TransportCoding.encode(failure))
            #expect(read == .failure(failure))
        }
    }

    @Test("fit in 4 MiB at their limits") func sizes() throws {
        let device = Self.seat.device
        let listed = (1...UInt64(StoreLimits.listedNames)).map { SampleObjects.segment($0, of: device) }
        let listing = TransportCoding.encode(StoreListing(names: listed), to: ListObjects(Self.seat, .heads))
        #expect(listing.count <= 4 << 20)
        let most = Array(listed.prefix(StoreLimits.names))
        let each = StoreLimits.messageByteCount / StoreLimits.names
        let objects = Dictionary(uniqueKeysWithValues: most.map { ($0, [UInt8](repeating: 1, count: each)) })
        let reading = StoreReading(objects: objects, damaged: Set(most), rest: most)
        #expect(TransportCoding.encode(reading, to: ReadObjects(Self.seat, most)).count <= 4 << 20)
        let tag = try #require(ConflictTag("20260101-000000-ABCDEFG"))
        let heads = (1...UInt64(StoreLimits.listedNames)).map {
            StoreObjectName.headCopy(SampleObjects.device(UInt8($0 % 256)), tag)
        }
        let news = StoreNews(
            statements: (1...UInt64(StoreLimits.listedNames)).map { _ in .statement(SampleObjects.hash(1)) },
            unchanged: Set(most), changed: [heads[0]: [UInt8](repeating: 1, count: StoreLimits.newsByteCount)],
            rest: heads)
        #expect(TransportCoding.encode(news, to: ReadNews(Self.seat, knowing: [:])).count <= 4 << 20)
        let head = [UInt8](repeating: 1, count: StoreObjectName.head(device).byteLimit)
        let question = PublishHead(Self.seat, objects, head: head, replacing: Self.mark)
        let body = TransportCoding.encode(question)
        #expect(body.count <= 4 << 20)
        #expect(try TransportCoding.decodeQuestion(body).fields == question.fields)
    }

    @Test("are refused beyond their limits") func limits() throws {
        let device = Self.seat.device
        let names = (0...UInt64(StoreLimits.names)).map { SampleObjects.segment($0 + 1, of: device) }
        let failure = TransportMessageFailure.tooMany(found: names.count, limit: StoreLimits.names)
        #expect(throws: failure) {
            try TransportCoding.decodeQuestion(TransportCoding.encode(ReadObjects(Self.seat, names)))
        }
        #expect(throws: failure) {
            try TransportCoding.decodeQuestion(TransportCoding.encode(RemoveObjects(Self.seat, names)))
        }
        #expect(AwaitHint(Self.seat, seconds: .max).seconds == AwaitHint.secondsLimit)
    }

    @Test("have a text of the store that is a text, and not too long") func storeTexts() throws {
        let longest = StoreText(String(repeating: "x", count: StoreText.byteLimit))
        try expectRead(longest, to: DescribeStore())
        let cases: [(PropertyValue, TransportMessageFailure)] = [
            (.string(longest.text + "x"), .badValue), (.data([]), .wrongType),
        ]
        for (value, failure) in cases {
            let body = DERWriter.encode(.array([.integer(1), .integer(DescribeStore.number), value]))
            #expect(throws: failure) { _ = try TransportCoding.decodeAnswer(to: DescribeStore(), body) }
        }
    }

    private static func body(_ fields: PropertyValue...) -> [UInt8] { DERWriter.encode(.array(fields)) }
    private static let place: [PropertyValue] = [.data(seat.circle.bytes), .data(seat.device.bytes)]

    @Test("that no release writes are refused") func malformed() throws {
        let (one, name) = (PropertyValue.integer(1), PropertyValue.string("\(Self.names[0])"))
        let cases: [(PropertyValue, TransportMessageFailure)] = [
            (.null, .notList), (.array([]), .fieldMissing), (.array([.string("1")]), .wrongType),
            (.array([.integer(2), one]), .unknownVersion(2)), (.array([one, .integer(10)]), .unknownNumber(10)),
            (.array([one, .integer(0)]), .unknownNumber(0)), (.array([one, one, one]), .fieldsLeft(1)),
            (.array([one, .integer(2)]), .fieldMissing),
            (.array([one, .integer(2), .data([1]), .data([2]), .string("h/")]), .badValue),
            (.array([one, .integer(2)] + Self.place + [.string("h")]), .badValue),
            (.array([one, .integer(3)] + Self.place + [.array([.string("h/../x")])]), .badValue),
            (.array([one, .integer(4)] + Self.place + [.array([name])]), .badValue),
            (.array([one, .integer(4)] + Self.place + [.array([name, .data([1]), name, .data([1])])]), .badValue),
            (.array([one, .integer(4)] + Self.place + [.array([name, .string("x")])]), .wrongType),
            (.array([one, .integer(5)] + Self.place + [.array([]), .data([]), .data([1])]), .badValue),
            (.array([one, .integer(7)] + Self.place + [.integer(601)]), .badValue),
            (.array([one, .integer(9)] + Self.place + [.array([name, .data([1])])]), .badValue),
            (.array([one, .integer(7)] + Self.place + [.integer(-1)]), .badValue),
        ]
        for (value, failure) in cases {
            #expect(throws: failure) { try TransportCoding.decodeQuestion(DERWriter.encode(value)) }
        }
        #expect(throws: TransportMessageFailure.notDER(.truncated)) { try TransportCoding.decodeQuestion([]) }
    }

    @Test("that were damaged are refused, or are other messages", arguments: 1...20 as ClosedRange<UInt64>)
    func damage(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        for question in Self.questions {
            var body = TransportCoding.encode(question)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !body.isEmpty {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: body[Int.random(in: body.indices, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random)
                case 1: body.removeLast(Int.random(in: 0...body.count, using: &random))
                default:
                    body.insert(.random(in: 0...255, using: &random), at: .random(in: body.indices, using: &random))
                }
            }
            if let read = try? TransportCoding.decodeQuestion(body) {
                // One form for each message.
                #expect(TransportCoding.encode(read) == body)
            }
        }
    }
}
