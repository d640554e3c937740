@testable import LatchkeySyncCore

/// An invariant of membership that a state does not keep.
enum Violation: String, Hashable {
    case removalIsFinal = "removal-is-final"
    case voidAdmissions = "void-admissions"
    case recoveryKeys = "recovery-keys"
    case writingEpoch = "rekey-finishes"
    case heads
}

extension MembershipState {
    /// Compares with the rules as they are written.
    func violations(_ reference: ReferenceMembership) -> Set<Violation> {
        let library = reference.library
        var found: Set<Violation> = []
        let departed = reference.departed
        if Set(self.departed.keys) != Set(departed.map(SampleParties.device)) { found.insert(.removalIsFinal) }
        if members != Set(reference.members.map(SampleParties.device)) { found.insert(.voidAdmissions) }
        let keys = library.entries[reference.keySetter].newKeys.map(SampleParties.recovery)
        if recoveryKeys.identifier != keys { found.insert(.recoveryKeys) }
        let epoch = reference.writingEpoch
        if writingEpoch?.hash != epoch.map({ library.entries[$0].verified.hash }) { found.insert(.writingEpoch) }
        let recipients = writingEpoch?.recipients.compactMap(\.device) ?? []
        let expected = epoch.map { reference.recipients(of: $0) } ?? []
        if Set(recipients) != Set(expected.map(SampleParties.device)) { found.insert(.writingEpoch) }
        let parents = Set(reference.set.flatMap { library.entries[$0].parents })
        let heads = Set(reference.set.filter { !parents.contains($0) }.map { library.entries[$0].verified.hash })
        if statementHeads != heads { found.insert(.heads) }
        return found
    }
}

extension StatementLibrary {
    /// Makes a graph of the founding.
    func graph(_ rules: MembershipRules = MembershipRules()) -> StatementGraph {
        guard let graph = try? StatementGraph(founding: founding, testOnlyRules: rules) else {
            preconditionFailure("the founding is valid")
        }
        return graph
    }
}
