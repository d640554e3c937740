/// The result of giving a statement to a graph.
package enum StatementInsertion: Equatable, Sendable {
    case accepted
    /// The graph has it already.
    case known
    /// The graph does not have these parents. The statement is not kept: insert it again after them.
    case waiting(for: Set<ObjectHash>)
    case refused(StatementRefusal)
}

extension StatementGraph {
    /// Verifies and inserts a statement.
    package mutating func insert(
        _ signed: SignedStatement, verifier: some StatementVerifying
    ) -> StatementInsertion {
        guard index.position(of: signed.hash) == nil else { return .known }
        if let obstacle = missingParents(of: signed.claim) { return obstacle }
        guard let keys = index.keys[signed.claim.author] else { return .refused(.authorNotMember) }
        do throws(StatementFailure) {
            return insert(try signed.verified(with: keys, by: verifier))
        } catch {
            return .refused(.notVerified(error))
        }
    }

    /// Inserts a statement whose signatures are valid.
    package mutating func insert(_ verified: VerifiedStatement) -> StatementInsertion {
        guard index.position(of: verified.hash) == nil else { return .known }
        let statement = verified.statement
        if let obstacle = missingParents(of: statement) { return obstacle }
        var past = StatementSet.empty
        var depth = 0
        for parent in statement.parents {
            guard let position = index.position(of: parent) else { continue }
            past.formUnion(index.nodes[position].past)
            past.insert(position)
            depth = max(depth, index.nodes[position].depth + 1)
        }
        let evaluation = evaluation(within: past)
        if let refusal = refusal(of: statement, past, evaluation) { return .refused(refusal) }
        index.append(
            StatementIndex.Node(
                verified: verified, past: past, depth: depth, keySetter: evaluation.keySetter,
                keyOwner: statement.author.device ?? index.nodes[evaluation.keySetter].keyOwner))
        return .accepted
    }

    /// Verifies and inserts statements in any order.
    ///
    /// - Returns: The results in the order of the statements.
    package mutating func insert(
        all signed: [SignedStatement], verifier: some StatementVerifying
    ) -> [StatementInsertion] {
        var results = [StatementInsertion](repeating: .known, count: signed.count)
        /// The places of statements by one of the parents that they wait for.
        var waiting: [ObjectHash: [Int]] = [:]
        var open = Array(signed.indices.reversed())
        while let place = open.popLast() {
            results[place] = insert(signed[place], verifier: verifier)
            switch results[place] {
            case .accepted:
                open += waiting.removeValue(forKey: signed[place].hash) ?? []
            case .waiting(let missing):
                if let parent = missing.min() { waiting[parent, default: []].append(place) }
            case .known, .refused:
                break
            }
        }
        return results
    }

    private func missingParents(of statement: Statement) -> StatementInsertion? {
        guard let named = statement.circle else { return .refused(.anotherFounding) }
        guard named == circle else { return .refused(.otherCircle) }
        let missing = statement.parents.filter { index.position(of: $0) == nil }
        return missing.isEmpty ? nil : .waiting(for: Set(missing))
    }

    /// Returns the evaluation of a past. It depends only on those of its statements that concern membership.
    private mutating func evaluation(within past: StatementSet) -> MembershipEvaluation {
        let structure = past.intersection(index.structure)
        if let known = recent.first(where: { $0.structure == structure }) { return known.evaluation }
        let evaluation = MembershipEvaluation(index, within: structure, rules: rules)
        if recent.count == Self.recentLimit { recent.removeLast() }
        recent.insert((structure, evaluation), at: 0)
        return evaluation
    }
}
