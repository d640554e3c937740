import LatchkeySyncCore
import Testing

/// The version under a change that is not published yet.
@Suite struct ReplacedTests {
    private static let name = Sample.name(1)
    private static let first = Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])

    /// A device with a version of device 2, over which a change waits for its key.
    private static func changed() -> Bench {
        let bench = Bench(members: [1, 2, 3])
        bench.receive([first])
        _ = bench.publish()
        bench.refusesToSeal = true
        _ = bench.write(8)
        return bench
    }

    private static func removeHere(_ bench: Bench) -> KnownItem? {
        bench.rows = [:]
        bench.change([.delete(name, leavesTombstone: false)])
        return bench.state.items[name]
    }

    @Test("a change that is taken back leaves the version that it replaced") func unchanged() {
        let item = Self.removeHere(Self.changed())
        #expect(item?.state == .absentHere && item?.version == Sample.version(3, by: 2))
    }

    @Test("or the one that came meanwhile, which every other member has") func newer() {
        let bench = Self.changed()
        bench.receive(
            [Self.first, Bench.segment(Sample.dot(2, 2), [Sample.live(6, at: Sample.version(9, by: 2))])], head: 2)
        let item = Self.removeHere(bench)
        #expect(item?.state == .absentHere && item?.version == Sample.version(9, by: 2))
        #expect(item?.dot == Sample.dot(2, 2) && item?.digest == Sample.hash(6))
    }

    @Test("an older one that came meanwhile does not take its place") func older() {
        let bench = Self.changed()
        bench.receive([Bench.segment(Sample.dot(3, 1), [Sample.live(6, at: Sample.version(2, by: 3))])], from: 3)
        #expect(Self.removeHere(bench)?.version == Sample.version(3, by: 2))
    }

    @Test("a new item that is taken back leaves the one that came meanwhile") func both() {
        let bench = Bench(members: [1, 2, 3])
        _ = bench.publish()
        bench.refusesToSeal = true
        _ = bench.write(8)
        bench.receive([Self.first])
        #expect(Self.removeHere(bench)?.version == Sample.version(3, by: 2))
    }

    @Test("nothing is left of what was deleted meanwhile") func deleted() {
        let bench = Self.changed()
        bench.receive(
            [Self.first, Bench.segment(Sample.dot(2, 2), [Sample.gone(at: Sample.version(9, by: 2))])], head: 2)
        #expect(Self.removeHere(bench)?.state == .gone)
        let other = Self.changed()
        let snapshot = SampleSnapshot(2, vector: VersionVector([Self.first.dot.stream: 5]), parts: [[]])
        other.receive([], head: 7, first: .init(a: 1, c: 6), snapshot: snapshot.reference)
        other.show(snapshot)
        #expect(Self.removeHere(other) == nil)
    }
}
