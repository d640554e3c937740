import Foundation
import LatchkeySyncSimulation

/// Runs the simulation of the item layer for many seeds, on all processors.
@main
enum SyncCheckProgram {
    private static let usage = """
        usage: sync-check SEEDS [FIRST [RULE]]    RULE is left out: \(rules)
               sync-check scenarios

        """
    private static let rules = SimulatedRule.allCases.map(\.rawValue).joined(separator: ", ")

    /// Runs the scenarios about versions, with the rules and without each of theirs.
    private static func runScenarios() {
        var isGood = true
        for scenario in VersionScenario.all {
            print("\(scenario.name): \(scenario.story)")
            let reason = scenario.run()
            print("  with the rules: \(reason.map { "\($0.invariant): \($0.detail)" } ?? "ok")")
            var isAsExpected = reason == nil
            if !isAsExpected { print(scenario.trace().suffix(40).joined(separator: "\n")) }
            for rule in scenario.rules {
                let reason = scenario.run(without: rule)
                print("  without \(rule): \(reason.map { "\($0.invariant): \($0.detail)" } ?? "ok")")
                guard reason == nil else { continue }
                isAsExpected = false
                print(scenario.trace(without: rule).suffix(40).joined(separator: "\n"))
            }
            isGood = isGood && isAsExpected
        }
        if !isGood { exit(1) }
    }

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "scenarios" { return runScenarios() }
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
        let report = await SeedReport.running(firstSeed..<firstSeed + count, without: rule)
        let seconds = Date().timeIntervalSince(start)
        print(report.coverage.table)
        print("\(count) seeds in \(String(format: "%.1f", seconds)) s: \(Int(Double(count) / seconds)) a second")
        print("digest \(String(report.digest, radix: 16)): the same in every run of these seeds")
        let groups = Dictionary(grouping: report.findings) { $0.invariant }
        for (invariant, found) in groups.sorted(by: { $0.key < $1.key }) {
            print("\(invariant): \(found.count) seeds, for instance \(found.map { $0.seed }.sorted().prefix(8))")
        }
        guard let first = report.findings.min(by: { $0.seed < $1.seed }) else { return }
        if rule == nil, let failure = SimulationRun.explain(seed: first.seed) { print(failure) }
        exit(1)
    }
}
