/// Rule 3 of Docs/Design/027-sync.md: the statements that have no effect although they are valid.
struct VoidJudge {
    let index: StatementIndex
    let within: StatementSet
    let rules: MembershipRules
    /// See ``MembershipEvaluation``.
    let seen: [DeviceIdentifier: StatementSet]
    let seenByRemovals: [DeviceIdentifier: StatementSet]

    /// Returns the void ones among the statements that give authority.
    ///
    /// - Parameter firstPass: the result of the first pass; nil in the first, which ignores replacements of recovery keys.
    func voidAuthorities(after firstPass: StatementSet?) -> StatementSet {
        var void = StatementSet.empty
        for position in index.authorities where within.contains(position) {
            if isVoid(position, void: void, firstPass: firstPass) { void.insert(position) }
        }
        return void
    }

    /// Returns true for a void statement.
    ///
    /// - Parameter void: the void ones among the statements that give authority; at least those in the statement's past.
    func isVoid(_ position: Int, void: StatementSet, firstPass: StatementSet?) -> Bool {
        // The founding rests on nothing.
        guard position > 0 else { return false }
        let node = index.nodes[position]
        if isRuleOn(for: node.statement.body), isUnseen(position, node) { return true }
        if rules.voidsWhatRestsOnVoid, !hasAuthority(node, void: void) { return true }
        guard let firstPass, rules.voidsUnseenByReplacement, case .recovery(let keys) = node.statement.author else {
            return false
        }
        return index.keySetters.contains { setter in
            within.contains(setter) && !firstPass.contains(setter) && replaces(setter, keys)
                && !node.past.contains(setter) && !index.nodes[setter].past.contains(position) && setter != position
        }
    }

    /// Returns true if a removal of the author, or of the device on whose authority its recovery keys rest, does not know the statement.
    private func isUnseen(_ position: Int, _ node: StatementIndex.Node) -> Bool {
        switch node.statement.author {
        case .device(let device):
            guard let known = seen[device] else { return false }
            return !known.contains(position)
        case .recovery:
            guard rules.removalsEndRecoveryKeys, let setter = node.keySetter, let owner = index.nodes[setter].keyOwner,
                let known = seenByRemovals[owner]
            else { return false }
            return !known.contains(position)
        }
    }

    /// Returns true if an admission of the author in the past stands, or the statement that set its recovery keys.
    private func hasAuthority(_ node: StatementIndex.Node, void: StatementSet) -> Bool {
        switch node.statement.author {
        case .device(let device):
            index.admissions[device, default: []].contains { node.past.contains($0) && !void.contains($0) }
        case .recovery:
            node.keySetter.map { !void.contains($0) } ?? false
        }
    }

    /// Returns true if a statement sets other recovery keys in the place of these.
    private func replaces(_ setter: Int, _ keys: RecoveryIdentifier) -> Bool {
        guard let before = index.nodes[setter].keySetter else { return false }
        return index.recoveryKeys(setBy: before) == keys && index.recoveryKeys(setBy: setter) != keys
    }

    private func isRuleOn(for body: StatementBody) -> Bool {
        switch body {
        case .found, .admit: rules.voidsUnseenAdmissions
        case .remove, .epoch, .share: rules.voidsUnseenEpochs
        case .leave, .recovery, .settings: rules.voidsUnseenRecovery
        }
    }
}
