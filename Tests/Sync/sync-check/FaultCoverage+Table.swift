import LatchkeySyncCore
import LatchkeySyncSimulation

extension FaultCoverage {
    /// The counts as a table: a row for each fault, a column for each step.
    var table: String {
        let steps = ReplicaStep.allCases
        let head = "fault \\ step".padded(to: 18) + steps.map { "\($0)".padded(to: -17) }.joined()
        let rows = SimulatedFault.allCases.map { fault in
            "\(fault)".padded(to: 18) + steps.map { "\(self[fault, $0])".padded(to: -17) }.joined()
        }
        let summary = "\(coveredCount) of \(Self.pairCount) pairs of fault and step occurred"
        return ([head] + rows + [summary]).joined(separator: "\n")
    }
}

extension String {
    /// The text with spaces behind it, or before it if `width` is negative.
    fileprivate func padded(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(abs(width) - count, 0))
        return width < 0 ? spaces + self : self + spaces
    }
}
