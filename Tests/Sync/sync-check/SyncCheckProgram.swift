import Foundation
import LatchkeySyncSimulation

/// Runs the simulation of the item layer for many seeds, on all processors.
@main
enum SyncCheckProgram {
    private static let usage = """
        usage: sync-check SEEDS [FIRST [RULE]]    RULE is left out: \(rules)

        """
    private static let rules = SimulatedRule.allCases.map(\.rawValue).joined(separator: ", ")

    private struct Finding: Sendable {
        let seed: UInt64
        let invariant: String
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.prefix(2).map { UInt64($0) }
        let rule = arguments.count == 3 ? SimulatedRule(rawValue: arguments[2]) : nil
        guard let count = numbers.first ?? nil, count > 0, !numbers.contains(nil), arguments.count <= 3,
            arguments.count < 3 || rule != nil
        else {
            FileHandle.standardError.write(Data(usage.utf8))
            exit(64)
        }
        let firstSeed = numbers.count == 2 ? numbers[1] ?? 1 : 1
        let start = Date()
        let failed = await failures(firstSeed..<firstSeed + count, without: rule)
        let seconds = Date().timeIntervalSince(start)
        print("\(count) seeds in \(String(format: "%.1f", seconds)) s: \(Int(Double(count) / seconds)) a second")
        let groups = Dictionary(grouping: failed) { $0.invariant }
        for (invariant, found) in groups.sorted(by: { $0.key < $1.key }) {
            print("\(invariant): \(found.count) seeds, for instance \(found.map { $0.seed }.sorted().prefix(8))")
        }
        guard let first = failed.min(by: { $0.seed < $1.seed }) else { return }
        if rule == nil, let failure = SimulationRun.explain(seed: first.seed) { print(failure) }
        exit(1)
    }

    private static func failures(_ seeds: Range<UInt64>, without rule: SimulatedRule?) async -> [Finding] {
        let workers = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        return await withTaskGroup(of: [Finding].self) { group in
            for worker in 0..<workers {
                group.addTask { failures(of: worker, among: workers, seeds, without: rule) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Runs the seeds of one worker, and reports each failure at once: a long run can be looked at, or ended.
    private static func failures(
        of worker: UInt64, among workers: UInt64, _ seeds: Range<UInt64>, without rule: SimulatedRule?
    ) -> [Finding] {
        var findings: [Finding] = []
        var count = 0
        for seed in stride(from: seeds.lowerBound + worker, to: seeds.upperBound, by: Int(workers)) {
            if let reason = SimulationRun.run(seed: seed, without: rule) {
                findings.append(Finding(seed: seed, invariant: reason.invariant))
                if rule == nil { say("seed \(seed): \(reason.invariant)") }
            }
            count += 1
            if worker == 0, count % reportInterval == 0 { say("\(count * Int(workers)) seeds") }
        }
        return findings
    }

    private static let reportInterval = 10_000

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
