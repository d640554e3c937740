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
    case receivedRaisesClock
    case epochRaisesClock
    case keptVersionsLose
    case waitsForNames
    case zoneAWaitsForNames
    case joiningDropsVersions
    case unversionedWaits
    case callsMakeVersions
    case fullEpochsWait
    case formerNamesEndAtOnce
    case transactionsLookForNames
    case firstVersionsLookForCalls
    case restoresLookAtDeletions
    case restoresLookAtCalls
    case restoresAreNoCalls
    case restoresHaveNoVersion
    case voidDeletionsDoNotCount
    case namedAgainIsStored

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
        case .receivedRaisesClock: rules.testOnlyReceivedRaisesClock = false
        case .epochRaisesClock: rules.testOnlyEpochRaisesClock = false
        case .keptVersionsLose: rules.testOnlyKeptVersionsLose = false
        case .waitsForNames: rules.testOnlyWaitsForNames = false
        case .zoneAWaitsForNames: rules.testOnlyZoneAWaitsForNames = false
        case .joiningDropsVersions: rules.testOnlyJoiningDropsVersions = false
        case .unversionedWaits: rules.testOnlyUnversionedWaits = false
        case .callsMakeVersions, .fullEpochsWait, .formerNamesEndAtOnce, .transactionsLookForNames,
            .firstVersionsLookForCalls, .restoresLookAtDeletions, .restoresLookAtCalls, .restoresAreNoCalls,
            .restoresHaveNoVersion, .voidDeletionsDoNotCount, .namedAgainIsStored:
            break
        }
        return rules
    }

    /// All rules of transactions but this one.
    var writingRules: WritingRules {
        var rules = WritingRules()
        switch self {
        case .callsMakeVersions: rules.callsMakeVersions = false
        case .fullEpochsWait: rules.fullEpochsWait = false
        case .formerNamesEndAtOnce: rules.formerNamesEndAtOnce = false
        case .transactionsLookForNames: rules.transactionsLookForNames = false
        case .firstVersionsLookForCalls: rules.firstVersionsLookForCalls = false
        case .restoresLookAtDeletions: rules.restoresLookAtDeletions = false
        case .restoresLookAtCalls: rules.restoresLookAtCalls = false
        case .restoresAreNoCalls: rules.restoresAreCalls = true
        case .restoresHaveNoVersion: rules.restoresHaveTheirDate = true
        case .voidDeletionsDoNotCount: rules.countsVoidDeletions = true
        case .namedAgainIsStored: rules.namedAgainIsStored = false
        default: break
        }
        return rules
    }
}
