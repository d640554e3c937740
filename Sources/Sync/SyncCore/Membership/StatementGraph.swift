/// The statements of a circle that a device holds (Docs/Design/027-sync.md).
///
/// A statement is valid or not by its own past, so the order of arrival does not matter. Only valid statements are held, and
/// ``state()`` is a function of their set.
package struct StatementGraph: Sendable {
    package let circle: CircleIdentifier
    let rules: MembershipRules
    var index = StatementIndex()
    /// The evaluations of the last pasts. Most statements have a past that differs from that of another in nothing that matters.
    var recent: [(structure: StatementSet, evaluation: MembershipEvaluation)] = []
    static let recentLimit = 8

    /// Begins with the founding statement.
    package init(
        founding: SignedStatement, verifier: some StatementVerifying,
        testOnlyRules rules: MembershipRules = MembershipRules()
    ) throws(StatementFailure) {
        guard case .found(let body) = founding.claim.body else { throw .misplacedFounding }
        try self.init(founding: try founding.verified(with: .device(body.keys), by: verifier), testOnlyRules: rules)
    }

    /// Begins with the founding statement.
    package init(
        founding: VerifiedStatement, testOnlyRules rules: MembershipRules = MembershipRules()
    ) throws(StatementFailure) {
        guard case .found = founding.statement.body else { throw .misplacedFounding }
        circle = founding.circle
        self.rules = rules
        index.append(
            StatementIndex.Node(verified: founding, past: .empty, depth: 0, keySetter: nil, keyOwner: nil))
    }

    /// The number of statements.
    package var count: Int { index.nodes.count }

    package func contains(_ hash: ObjectHash) -> Bool { index.positions[hash] != nil }

    package subscript(hash: ObjectHash) -> VerifiedStatement? {
        index.positions[hash].map { index.nodes[$0].verified }
    }

    /// The statements, each after its parents.
    package var statements: [VerifiedStatement] { index.nodes.map(\.verified) }

    /// Returns the public keys of a party; nil if no statement names them.
    package func keys(of party: CircleParty) -> PartyKeys? { index.keys[party] }

    /// Applies the rules of membership to all statements.
    package func state() -> MembershipState {
        MembershipState(index, rules: rules)
    }
}
