import LatchkeySyncCore

/// A broken invariant, with what is needed to see it again.
package struct SimulationFailure: Error, CustomStringConvertible {
    package struct Reason: Hashable, Sendable {
        package let invariant: String
        package let detail: String
    }

    package let seed: UInt64
    package let reason: Reason
    package let steps: [SimulationStep]
    /// The last steps and events.
    package let trace: [String]

    package var description: String {
        """
        seed \(seed): \(reason.invariant): \(reason.detail)
        \(steps.count) steps:
        \(steps.map { "  \($0)" }.joined(separator: "\n"))
        the last events:
        \(trace.joined(separator: "\n"))
        """
    }
}

/// The end of a run.
package struct SimulationOutcome: Sendable {
    /// Nil if every invariant held.
    package let reason: SimulationFailure.Reason?
    /// Equal for two runs that took the same course: over the last states of all devices, and the random numbers that were drawn.
    package let digest: UInt64
    package let coverage: FaultCoverage
}

/// One run of the simulation.
package enum SimulationRun {
    /// Runs the steps of the seed.
    /// - Returns: nil if every invariant held.
    /// - Parameter rule: a rule that is left out.
    package static func run(seed: UInt64, without rule: SimulatedRule? = nil) -> SimulationFailure.Reason? {
        outcome(of: seed, without: rule).reason
    }

    /// Runs the steps of the seed.
    package static func outcome(of seed: UInt64, without rule: SimulatedRule? = nil) -> SimulationOutcome {
        let simulation = run(seed: seed, without: rule, steps: steps(of: seed), isTraced: false)
        return SimulationOutcome(
            reason: simulation.failure, digest: simulation.digest, coverage: simulation.coverage)
    }

    /// Runs the seed again after a failure, with the fewest steps that still break the same invariant.
    package static func explain(seed: UInt64, without rule: SimulatedRule? = nil) -> SimulationFailure? {
        let all = steps(of: seed)
        guard let reason = run(seed: seed, without: rule, steps: all, isTraced: false).failure else { return nil }
        let steps = StepShrinker.shrink(all) { steps in
            run(seed: seed, without: rule, steps: steps, isTraced: false).failure?.invariant == reason.invariant
        }
        let shrunk = run(seed: seed, without: rule, steps: steps, isTraced: true)
        let trace = Array((shrunk.trace ?? []).suffix(traceLength))
        return SimulationFailure(seed: seed, reason: shrunk.failure ?? reason, steps: steps, trace: trace)
    }

    package static func steps(of seed: UInt64) -> [SimulationStep] {
        var generator = StepGenerator(seed: seed)
        return generator.steps()
    }

    /// Runs steps that are written down, with so many members at the beginning.
    static func run(
        _ steps: [SimulationStep], devices: Int, without rule: SimulatedRule? = nil, isTraced: Bool = false
    ) -> Simulation {
        run(seed: 1, without: rule, steps: steps, deviceCount: devices, isTraced: isTraced)
    }

    /// The number of events that a failure shows.
    static let traceLength = 20

    private static func run(
        seed: UInt64, without rule: SimulatedRule?, steps: [SimulationStep], deviceCount: Int? = nil, isTraced: Bool
    ) -> Simulation {
        let simulation = Simulation(seed: seed, without: rule, deviceCount: deviceCount, isTraced: isTraced)
        for step in steps where simulation.failure == nil { simulation.perform(step) }
        if simulation.failure == nil { simulation.settle() }
        if simulation.failure == nil { simulation.checkAtRest() }
        return simulation
    }
}
