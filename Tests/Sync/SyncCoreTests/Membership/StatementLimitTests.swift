import LatchkeyTestSupport
import Testing

@testable import LatchkeySyncCore

/// Large sets of statements: Docs/Formats/sync.md.
@Suite struct StatementLimitTests {
    private static func hash(_ number: Int) -> ObjectHash? {
        var random = SplitMix(seed: UInt64(number))
        return ObjectHash(random.bytes(32))
    }

    /// Makes a graph of statements of ten devices, each of which writes a chain and sees the others now and then.
    private static func filled(_ total: Int) throws -> (graph: StatementGraph, refused: [StatementInsertion]) {
        var graph = StatementLibrary().graph()
        let devices = 10
        var last = [ObjectHash?](repeating: nil, count: devices)
        var indexes = [Int](repeating: 0, count: devices)
        (last[0], indexes[0]) = (graph.statements[0].hash, 1)
        var newest = graph.statements[0].hash
        var refused: [StatementInsertion] = []
        func body(_ number: Int) throws -> StatementBody {
            number < devices
                ? .admit(Admission(keys: SampleParties.devices[number], share: nil))
                : .settings(try CircleSettings(storedByteLimit: Int64(number)))
        }
        for number in 1...total {
            let author = number < devices ? 0 : number % devices
            var parents: Set<ObjectHash> = [last[author] ?? newest]
            if number % 7 == 0 || number < devices { parents.insert(newest) }
            indexes[author] += 1
            guard let hash = hash(number), indexes[author] <= StatementLimits.statementsPerAuthor else { continue }
            let statement = try Statement(
                circle: graph.circle, author: .device(SampleParties.device(author)), index: indexes[author],
                parents: parents, date: 0, body: body(number))
            let result = graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash))
            if result == .accepted { (last[author], newest) = (hash, hash) } else { refused.append(result) }
        }
        return (graph, refused)
    }

    @Test("10,000 statements are taken, and the circle is what it was", .timeLimit(.minutes(1))) func tenThousand()
        throws
    {
        var (graph, refused) = try Self.filled(10_100)
        #expect(refused == [])
        #expect(graph.state().members.count == 10)
        #expect(graph.count > 9_900 && graph.count <= 10_000)
        // The authors have used up their indexes; the recovery keys have not.
        #expect(graph.nextPlace(for: .device(SampleParties.device(0))) == nil)
        var next = 20_000
        while graph.count < StatementLimits.statements {
            guard let place = graph.nextPlace(for: .recovery(SampleParties.recovery(0))), let hash = Self.hash(next)
            else {
                break
            }
            next += 1
            let statement = try Statement(
                circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
                body: .admit(Admission(keys: SampleParties.devices[20], share: nil)))
            #expect(graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash)) == .accepted)
        }
        #expect(graph.count == StatementLimits.statements)
        let place = try #require(graph.nextPlace(for: .recovery(SampleParties.recovery(0))))
        let statement = try Statement(
            circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
            body: .admit(Admission(keys: SampleParties.devices[20], share: nil)))
        let hash = try #require(Self.hash(next))
        #expect(
            graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash)) == .refused(.tooManyStatements))
    }

    /// The costliest statements: each changes the circle, so each past is evaluated anew.
    @Test("1,000 admissions and removals by one device", .timeLimit(.minutes(1))) func structure() {
        var graph = StatementLibrary().graph()
        var removed: [DeviceIdentifier] = []
        for number in 1..<StatementLimits.statementsPerAuthor {
            guard let place = graph.nextPlace(for: .device(SampleParties.device(0))), let hash = Self.hash(number)
            else {
                break
            }
            let device = SampleParties.devices[1 + number / 2 % 70]
            let isRemoved = removed.contains(device.identifier)
            let body: StatementBody =
                number % 2 == 0 && !isRemoved
                ? .admit(Admission(keys: device, share: nil))
                : .remove(
                    Removal(
                        device: device.identifier, counted: CountedSegments(), erases: false,
                        epoch: SampleParties.epoch(place.epochNumber.rawValue, for: [])))
            guard
                let statement = try? Statement(
                    circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
                    body: body)
            else { break }
            let result = graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash))
            if number % 2 == 1, number > 1 {
                removed.append(device.identifier)
                #expect(result == .accepted)
            }
        }
        #expect(graph.state().members == [SampleParties.device(0)])
        #expect(graph.state().departed.count == 70)
    }

    @Test("an author that forks reaches its limit by number") func forks() throws {
        var graph = StatementLibrary().graph()
        let founding = graph.statements[0].hash
        for number in 0..<1_000 {
            let hash = try #require(Self.hash(number))
            let statement = try Statement(
                circle: graph.circle, author: .device(SampleParties.device(0)), index: 2, parents: [founding], date: 0,
                body: .settings(CircleSettings(storedByteLimit: Int64(number + 1))))
            let result = graph.insert(VerifiedStatement(testOnlyUnsigned: statement, hash: hash))
            #expect(result == (number < 999 ? .accepted : .refused(.tooManyStatementsOfAuthor)))
        }
        #expect(graph.evidence.first?.statements.count == 999)
    }
}
