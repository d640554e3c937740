package import LatchkeySyncCore

/// A fault of a simulation.
package enum SimulatedFault: UInt8, CaseIterable, Sendable {
    case crash
    case lostQuestion
    case repeatedQuestion
    case lostAnswer
    case lateAnswer
    case lostHint
    case lateObjects
    case offline
    case divided
    case locked
    case withoutPasscode
    case missingKey
    case movedClock
    case lostObjects
    case storeRolledBack
    case withheldObjects
    case restored
    case secondCopy
    case admission
    case removal
    case ownRemoval
    case departure
    case newEpoch
    case exhaustedEpoch
    case engineBusy
    case engineOff
}

/// The number of times that each fault met each step of the protocol.
package struct FaultCoverage: Sendable {
    private var counts = [UInt64](repeating: 0, count: SimulatedFault.allCases.count * ReplicaStep.allCases.count)

    package init() {}

    package static var pairCount: Int { SimulatedFault.allCases.count * ReplicaStep.allCases.count }

    package var coveredCount: Int { counts.count { $0 > 0 } }

    package subscript(_ fault: SimulatedFault, _ step: ReplicaStep) -> UInt64 {
        counts[Self.position(fault, step)]
    }

    /// Notes that the fault met a device in these steps.
    mutating func note(_ fault: SimulatedFault, _ steps: Set<ReplicaStep>) {
        for step in steps { counts[Self.position(fault, step)] += 1 }
    }

    package mutating func add(_ other: FaultCoverage) {
        for position in counts.indices { counts[position] += other.counts[position] }
    }

    private static func position(_ fault: SimulatedFault, _ step: ReplicaStep) -> Int {
        Int(fault.rawValue) * ReplicaStep.allCases.count + Int(step.rawValue)
    }
}

extension Simulation {
    /// Notes that the device meets a fault. A device that does not run is in no step.
    func meet(_ fault: SimulatedFault, _ device: SimulatedDevice) {
        guard let steps = device.replica?.steps else { return }
        coverage.note(fault, steps)
    }
}
