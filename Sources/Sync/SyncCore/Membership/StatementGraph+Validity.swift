extension StatementGraph {
    /// Returns the reason for which a statement is not valid (rule 1), or nil. Apart from the limits it depends on the past alone.
    func refusal(
        of statement: Statement, _ past: StatementSet, _ evaluation: MembershipEvaluation
    ) -> StatementRefusal? {
        guard index.nodes.count < StatementLimits.statements else { return .tooManyStatements }
        guard index.byAuthor[statement.author, default: []].count < StatementLimits.statementsPerAuthor else {
            return .tooManyStatementsOfAuthor
        }
        guard !rules.authorsAreMembers || hasAuthority(statement.author, evaluation) else { return .authorNotMember }
        let expected = index.lastIndex(of: statement.author, within: past) + 1
        guard !rules.indexesFollow || statement.index == expected else {
            return .wrongIndex(expected: expected, found: statement.index)
        }
        if let epoch = statement.body.epoch {
            let last = index.lastEpochNumber(within: past)
            guard last < .max, epoch.number.rawValue == last + 1 else {
                return .wrongEpochNumber(expected: last &+ 1, found: epoch.number)
            }
        }
        return refusal(of: statement.body, by: statement.author, past, evaluation)
    }

    private func refusal(
        of body: StatementBody, by author: CircleParty, _ past: StatementSet, _ evaluation: MembershipEvaluation
    ) -> StatementRefusal? {
        switch body {
        case .found:
            return .anotherFounding
        case .admit(let admission):
            guard !evaluation.departed.contains(admission.keys.identifier) else { return .deviceDeparted }
            guard evaluation.members.count < StatementLimits.members else { return .circleFull }
            guard let share = admission.share else { return nil }
            return hasEpoch(share.epoch, past) ? nil : .unknownEpoch
        case .remove(let removal):
            guard author != .device(removal.device) else { return .removesItself }
            guard rules.removalsNameKnownDevices else { return nil }
            let admissions = index.admissions[removal.device, default: []]
            return admissions.contains(where: past.contains) ? nil : .unknownDevice
        case .share(let sharing):
            return hasEpoch(sharing.epoch, past) ? nil : .unknownEpoch
        case .leave, .epoch, .recovery, .settings:
            return nil
        }
    }

    private func hasAuthority(_ author: CircleParty, _ evaluation: MembershipEvaluation) -> Bool {
        switch author {
        case .device(let device): evaluation.members.contains(device)
        case .recovery(let keys): index.recoveryKeys(setBy: evaluation.keySetter) == keys
        }
    }

    private func hasEpoch(_ hash: ObjectHash, _ past: StatementSet) -> Bool {
        guard let position = index.position(of: hash) else { return false }
        return past.contains(position) && index.nodes[position].statement.body.epoch != nil
    }
}
