package import LatchkeySyncCore

/// The rules that a run can leave out, by name.
package enum SimulatedRule: String, CaseIterable, Sendable {
    case deviceClock
    case adoption
    case removalSnapshot
    case absentMeansDeleted
    case skipsOutdated
    case readsBeforeForgetting
    case readsRemovedBeforeForgetting
    case needsStatements
    case vectorsDecideConflicts
    case segmentsNeedSnapshot
    case joinsByKnowingHead
    case keepsTombstones
    case checksOwnHead

    /// All rules but this one.
    package var left: ReplicaRules {
        var rules = ReplicaRules.all
        switch self {
        case .deviceClock: rules.testOnlyDeviceClock = false
        case .adoption: rules.testOnlyAdoption = false
        case .removalSnapshot: rules.testOnlyRemovalSnapshot = false
        case .absentMeansDeleted: rules.testOnlyAbsentMeansDeleted = false
        case .skipsOutdated: rules.testOnlySkipsOutdated = false
        case .readsBeforeForgetting: rules.testOnlyReadsBeforeForgetting = false
        case .readsRemovedBeforeForgetting: rules.testOnlyReadsRemovedBeforeForgetting = false
        case .needsStatements: rules.testOnlyNeedsStatements = false
        case .vectorsDecideConflicts: rules.testOnlyVectorsDecideConflicts = false
        case .segmentsNeedSnapshot: rules.testOnlySegmentsNeedSnapshot = false
        case .joinsByKnowingHead: rules.testOnlyJoinsByKnowingHead = false
        case .keepsTombstones: rules.testOnlyKeepsTombstones = false
        case .checksOwnHead: rules.testOnlyChecksOwnHead = false
        }
        return rules
    }
}
