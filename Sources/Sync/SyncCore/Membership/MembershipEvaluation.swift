/// The rules of membership, applied to a set of statements that contains the past of each of its members (Docs/Design/027-sync.md, rules 2 to 4).
///
/// Only four things are asked of a statement: its past, which removals of its author do not know it, whether the statements that give its
/// author authority are void, and whether a replacement of its recovery keys does not know it. The first two need no evaluation: a valid
/// removal always takes effect. The third leads into the past of the statement, so going through the statements in their order answers it.
/// The fourth could lead anywhere, also in circles: two holders of one recovery code each admit a device, and each device replaces the
/// code. So it is answered in a second pass, and a replacement counts there if the first pass, which ignores replacements, left it
/// standing. In the example both admissions are void, as with two devices that remove each other.
struct MembershipEvaluation: Sendable {
    let members: Set<DeviceIdentifier>
    /// The devices that were removed, or left.
    let departed: Set<DeviceIdentifier>
    /// The statement that set the current recovery keys.
    let keySetter: Int

    /// For devices that were removed, or left: the statements that all those who ended their membership knew.
    private let seen: [DeviceIdentifier: StatementSet]
    /// The same for removals only.
    private let seenByRemovals: [DeviceIdentifier: StatementSet]
    /// The void ones among the statements that give authority, without the rule of replacements.
    private let voidBeforeReplacements: StatementSet
    private let void: StatementSet
    private let within: StatementSet
    private let rules: MembershipRules

    init(_ index: StatementIndex, within: StatementSet, rules: MembershipRules) {
        var (seen, seenByRemovals): ([DeviceIdentifier: StatementSet], [DeviceIdentifier: StatementSet]) = ([:], [:])
        for (device, departures) in index.departures {
            for departure in departures where within.contains(departure.position) {
                guard rules.removalsAlwaysTakeEffect || !Self.isContested(departure.position, index, within) else {
                    continue
                }
                let past = index.nodes[departure.position].past
                seen[device] = seen[device]?.intersection(past) ?? past
                guard departure.isRemoval else { continue }
                seenByRemovals[device] = seenByRemovals[device]?.intersection(past) ?? past
            }
        }
        let judge = VoidJudge(index: index, within: within, rules: rules, seen: seen, seenByRemovals: seenByRemovals)
        let first = judge.voidAuthorities(after: nil)
        let second = index.hasRecoveryAuthors ? judge.voidAuthorities(after: first) : first
        let departed = Set(seen.keys)
        self.seen = seen
        self.seenByRemovals = seenByRemovals
        self.within = within
        self.rules = rules
        self.departed = departed
        voidBeforeReplacements = first
        void = second
        members = Set(
            index.admissions.lazy.filter { device, positions in
                !departed.contains(device) && positions.contains { within.contains($0) && !second.contains($0) }
            }.map(\.key))
        keySetter = Self.currentKeySetter(index) { position in
            guard within.contains(position), !second.contains(position) else { return false }
            guard rules.removalsEndRecoveryKeys, let owner = index.nodes[position].keyOwner else { return true }
            return seenByRemovals[owner] == nil
        }
    }

    /// Returns true if a removal does not know the statement of its author, or if nothing that stands gives the author authority (rule 3).
    func isVoid(_ position: Int, _ index: StatementIndex) -> Bool {
        let judge = VoidJudge(index: index, within: within, rules: rules, seen: seen, seenByRemovals: seenByRemovals)
        return judge.isVoid(position, void: void, firstPass: voidBeforeReplacements)
    }

    /// Returns the deepest of the statements that qualify, and of equally deep ones that with the smallest hash.
    static func deepest(of positions: some Sequence<Int>, _ index: StatementIndex) -> Int? {
        positions.max { left, right in
            let (left, right) = (index.nodes[left], index.nodes[right])
            return left.depth != right.depth
                ? left.depth < right.depth : right.verified.hash < left.verified.hash
        }
    }

    private static func currentKeySetter(_ index: StatementIndex, qualifies: (Int) -> Bool) -> Int {
        // The founding statement is never void.
        deepest(of: index.keySetters.filter(qualifies), index) ?? 0
    }

    /// Returns true if the author of a removal was removed without knowledge of that removal: only for a rule that is switched off.
    private static func isContested(_ position: Int, _ index: StatementIndex, _ within: StatementSet) -> Bool {
        guard let author = index.nodes[position].statement.author.device else { return false }
        return index.departures[author, default: []].contains { other in
            within.contains(other.position) && other.isRemoval && !index.nodes[other.position].past.contains(position)
        }
    }
}
