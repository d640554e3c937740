import LatchkeySyncCore
import LatchkeySyncSimulation
import Testing

@Suite struct SimulationTests {
    /// Some seeds for a quick look. An ordinary test run takes 10,000 with optimisation (`Scripts/seeds`), a release 1,000,000.
    private static let seedCount: UInt64 = 640
    static let parts: Range<UInt64> = 0..<8

    @Test("every invariant of the item layer holds in every run", arguments: parts) func seeds(part: UInt64) {
        let size = Self.seedCount / UInt64(Self.parts.count)
        for seed in part * size + 1...(part + 1) * size where SimulationRun.run(seed: seed) != nil {
            if let failure = SimulationRun.explain(seed: seed) { Issue.record(failure) }
        }
    }

    /// Runs that have failed: of the rules, or of the simulation itself.
    static let failedOnce: [UInt64] = [
        209, 4826, 48_807, 63_045, 157_113, 187_955, 194_413, 245_652, 268_620, 301_699, 302_465, 425_971, 456_845,
        470_895, 471_418, 715_485, 720_633, 863_685, 987_659, 2_075_232, 4_000_150, 4_009_302, 4_013_684, 4_029_567,
        4_044_162, 4_061_901, 4_062_245, 4_098_520, 4_099_214, 4_118_801, 5_141_751, 6_154_567, 6_239_050, 7_104_654,
        8_076_560, 8_082_430, 8_226_395, 8_274_614, 9_035_154, 30_097_897, 30_188_971, 30_571_805, 30_605_616,
        30_674_389, 30_707_591, 30_792_071, 30_820_691, 30_971_790, 40_730_161,
    ]

    @Test("runs that failed once do not fail again", arguments: failedOnce) func failed(seed: UInt64) {
        #expect(SimulationRun.run(seed: seed) == nil)
    }

    struct Need: Sendable, CustomTestStringConvertible {
        let rule: SimulatedRule
        /// A run that fails without the rule.
        let seed: UInt64
        let invariant: String
        var testDescription: String { rule.rawValue }
    }

    static let needs = [
        Need(rule: .deviceClock, seed: 17, invariant: "deleted-stays-deleted"),
        Need(rule: .removalSnapshot, seed: 21, invariant: "last-writer-wins"),
        Need(rule: .absentMeansDeleted, seed: 1224, invariant: "converges"),
        Need(rule: .readsBeforeForgetting, seed: 10, invariant: "converges"),
        Need(rule: .readsRemovedBeforeForgetting, seed: 2165, invariant: "converges"),
        Need(rule: .vectorsDecideConflicts, seed: 21, invariant: "nothing-acknowledged-is-lost"),
        Need(rule: .keepsTombstones, seed: 739, invariant: "deleted-stays-deleted"),
        Need(rule: .checksOwnHead, seed: 1290, invariant: "clone-detected"),
    ]

    @Test("each rule is needed: a recorded run fails without it, and only without it", arguments: needs)
    func rule(_ need: Need) {
        #expect(SimulationRun.run(seed: need.seed) == nil)
        #expect(SimulationRun.run(seed: need.seed, without: need.rule)?.invariant == need.invariant)
    }

    /// Seeds whose runs once depended on the order of hash tables, and one with the real rules of membership.
    @Test("a run takes the same course each time", arguments: [58, 517, 691, 1803, 2851, 32] as [UInt64])
    func course(seed: UInt64) {
        let courses = Set((0..<4).map { _ in SimulationRun.outcome(of: seed).digest })
        #expect(courses.count == 1)
    }

    @Test("faults are counted with the steps that they meet") func coverage() {
        let coverage = (1...40 as ClosedRange<UInt64>).reduce(into: FaultCoverage()) { sum, seed in
            sum.add(SimulationRun.outcome(of: seed).coverage)
        }
        #expect(coverage[.lostAnswer, .writingHead] > 0 && coverage[.crash, .readingHeads] > 0)
        #expect(coverage.coveredCount > 100 && coverage.coveredCount < FaultCoverage.pairCount)
    }

    @Test("the same seed gives the same run, and a failure is explained with fewer steps") func explanation() throws {
        let need = Self.needs[0]
        let failure = try #require(SimulationRun.explain(seed: need.seed, without: need.rule))
        let again = try #require(SimulationRun.explain(seed: need.seed, without: need.rule))
        #expect(failure.description == again.description)
        #expect(failure.reason.invariant == need.invariant)
        #expect(failure.steps.count < SimulationRun.steps(of: need.seed).count)
        #expect(failure.trace.count <= 20 && !failure.trace.isEmpty)
        #expect(failure.description.hasPrefix("seed \(need.seed): "))
    }
}
