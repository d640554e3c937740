/// The place of a new statement among the others.
package struct StatementPlace: Hashable, Sendable {
    package let circle: CircleIdentifier
    package let author: CircleParty
    package let index: Int
    package let parents: Set<ObjectHash>
    /// The number of an epoch in the statement.
    package let epochNumber: EpochNumber
    /// Newest statements for which there is no space. A removal should know as much as possible: if there are any, write an epoch first.
    package let leftOut: Set<ObjectHash>
}

extension StatementGraph {
    /// Returns the place of an author's next statement. Nil if the author has reached ``StatementLimits/statementsPerAuthor``, or if there
    /// is no further number for an epoch.
    package func nextPlace(for author: CircleParty) -> StatementPlace? {
        let ordered = headPositions(for: author)
        let named = ordered.prefix(StatementLimits.parents)
        var past = StatementSet.empty
        for position in named {
            past.formUnion(index.nodes[position].past)
            past.insert(position)
        }
        let number = index.lastIndex(of: author, within: past) + 1
        let written = index.byAuthor[author, default: []].count
        guard max(number - 1, written) < StatementLimits.statementsPerAuthor,
            let epochNumber = EpochNumber(index.lastEpochNumber(within: past)).next
        else { return nil }
        return StatementPlace(
            circle: circle, author: author, index: number, parents: hashes(named), epochNumber: epochNumber,
            leftOut: hashes(ordered.dropFirst(StatementLimits.parents)))
    }

    /// Returns the epochs that a new one has to wrap: those that no epoch that stands wraps already.
    package func epochsToWrap() -> Set<ObjectHash> {
        let evaluation = MembershipEvaluation(index, within: .first(index.nodes.count), rules: rules)
        var open: Set<ObjectHash> = []
        var wrapped: Set<ObjectHash> = []
        for position in index.epochs {
            open.insert(index.nodes[position].verified.hash)
            guard let epoch = index.nodes[position].statement.body.epoch, !evaluation.isVoid(position, index) else {
                continue
            }
            // Only what the author knew: an epoch cannot claim to contain a later one.
            wrapped.formUnion(
                epoch.earlier.keys.filter { hash in
                    index.position(of: hash).map(index.nodes[position].past.contains) ?? false
                })
        }
        return open.subtracting(wrapped)
    }

    /// Newest statements: first the one that contains the author's last statement, then by depth.
    private func headPositions(for author: CircleParty) -> [Int] {
        let last = index.byAuthor[author]?.last
        let heads = index.heads.compactMap(index.position(of:))
        func containsLast(_ head: Int) -> Bool {
            guard let last else { return false }
            return head == last || index.nodes[head].past.contains(last)
        }
        return heads.sorted { left, right in
            let (leftFirst, rightFirst) = (containsLast(left), containsLast(right))
            if leftFirst != rightFirst { return leftFirst }
            let (left, right) = (index.nodes[left], index.nodes[right])
            return left.depth != right.depth ? left.depth > right.depth : left.verified.hash < right.verified.hash
        }
    }

    private func hashes(_ positions: some Sequence<Int>) -> Set<ObjectHash> {
        Set(positions.map { index.nodes[$0].verified.hash })
    }
}
