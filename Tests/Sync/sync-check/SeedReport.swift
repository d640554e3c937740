import Foundation
import LatchkeySyncSimulation

/// The outcomes of many seeds.
struct SeedReport: Sendable {
    struct Finding: Sendable {
        let seed: UInt64
        let invariant: String
    }

    var findings: [Finding] = []
    /// Over the digests of all runs, in any order.
    var digest: UInt64 = 0
    var coverage = FaultCoverage()

    static func running(_ seeds: Range<UInt64>, without rule: SimulatedRule?) async -> SeedReport {
        let workers = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        return await withTaskGroup(of: SeedReport.self) { group in
            for worker in 0..<workers {
                group.addTask { running(as: worker, among: workers, seeds, without: rule) }
            }
            return await group.reduce(into: SeedReport()) { $0.add($1) }
        }
    }

    /// Runs the seeds of one worker, and reports each failure at once: a long run can be looked at, or ended.
    private static func running(
        as worker: UInt64, among workers: UInt64, _ seeds: Range<UInt64>, without rule: SimulatedRule?
    ) -> SeedReport {
        var report = SeedReport()
        var count = 0
        for seed in stride(from: seeds.lowerBound + worker, to: seeds.upperBound, by: Int(workers)) {
            let outcome = SimulationRun.outcome(of: seed, without: rule)
            report.digest &+= outcome.digest
            report.coverage.add(outcome.coverage)
            if let reason = outcome.reason {
                report.findings.append(Finding(seed: seed, invariant: reason.invariant))
                if rule == nil { say("seed \(seed): \(reason.invariant)") }
            }
            count += 1
            if worker == 0, count % reportInterval == 0 { say("\(count * Int(workers)) seeds") }
        }
        return report
    }

    private mutating func add(_ other: SeedReport) {
        findings += other.findings
        digest &+= other.digest
        coverage.add(other.coverage)
    }

    private static let reportInterval = 10_000

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
