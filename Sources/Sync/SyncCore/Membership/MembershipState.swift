/// The result of the membership rules: members, removed devices, recovery keys, settings and the epoch for writing.
package struct MembershipState: Sendable {
    package let members: Set<DeviceIdentifier>
    /// The devices that were removed, or left, and what of their streams counts.
    package let departed: [DeviceIdentifier: CountedSegments]
    /// The devices that were removed with the wish that they delete what they have of the circle. The wish of a device that was itself
    /// removed, or left, does not count: a thief could let every device delete everything.
    package let erased: Set<DeviceIdentifier>
    /// The devices that were admitted by void statements only. They have to ask again.
    package let voidlyAdmitted: Set<DeviceIdentifier>
    package let recoveryKeys: RecoveryPublicKeys
    /// The device on whose authority the current recovery keys rest. Nil if they are those of the founding.
    package let recoveryKeyOwner: DeviceIdentifier?
    package let settings: CircleSettings
    /// The epoch for writing. Nil if one has to be created first (rule 5).
    package let writingEpoch: WritingEpoch?
    /// The greatest number of an epoch, also of one that is void or whose keys a removed device has.
    package let newestEpoch: EpochNumber?
    package let statementHeads: Set<ObjectHash>

    /// An epoch with its name and the parties that have its keys.
    package struct WritingEpoch: Hashable, Sendable {
        /// The statement of the epoch.
        package let hash: ObjectHash
        package let number: EpochNumber
        package let recipients: Set<CircleParty>
    }

    init(_ index: StatementIndex, rules: MembershipRules) {
        let evaluation = MembershipEvaluation(index, within: .first(index.nodes.count), rules: rules)
        members = evaluation.members
        departed = Self.counted(index, evaluation, rules)
        erased = Set(
            index.departures.filter { _, departures in
                departures.contains { Self.erases($0.position, index, evaluation) }
            }.map(\.key))
        voidlyAdmitted = Set(index.admissions.keys).subtracting(evaluation.members).subtracting(evaluation.departed)
        let keySetter = index.nodes[evaluation.keySetter]
        guard let keys = keySetter.statement.body.recoveryKeys else {
            preconditionFailure("the statement sets recovery keys")
        }
        recoveryKeys = keys
        recoveryKeyOwner = keySetter.keyOwner
        let standing = index.settings.filter { !evaluation.isVoid($0, index) }
        let setting = MembershipEvaluation.deepest(of: standing, index) ?? 0
        guard let settings = index.nodes[setting].statement.body.settings else {
            preconditionFailure("the statement has settings")
        }
        self.settings = settings
        writingEpoch = Self.writingEpoch(index, evaluation, rules)
        newestEpoch = index.epochs.compactMap { index.nodes[$0].statement.body.epoch?.number }.max()
        statementHeads = index.heads
    }

    private static func erases(_ position: Int, _ index: StatementIndex, _ evaluation: MembershipEvaluation) -> Bool {
        let statement = index.nodes[position].statement
        guard case .remove(let removal) = statement.body, removal.erases, !evaluation.isVoid(position, index) else {
            return false
        }
        return statement.author.device.map { !evaluation.departed.contains($0) } ?? true
    }

    /// The part of the result that the item layer needs.
    package var view: CircleView {
        let void = Dictionary(uniqueKeysWithValues: voidlyAdmitted.map { ($0, CountedSegments()) })
        return CircleView(
            members: members, removed: departed.merging(void) { counted, _ in counted },
            writingEpoch: writingEpoch.map { EpochName(number: $0.number, hash: $0.hash) },
            newestEpoch: newestEpoch, statementHeads: statementHeads, storedByteLimit: settings.storedByteLimit)
    }

    /// Returns the highest epoch that stands and excludes the removed devices; of equal ones that with the smallest hash.
    private static func writingEpoch(
        _ index: StatementIndex, _ evaluation: MembershipEvaluation, _ rules: MembershipRules
    ) -> WritingEpoch? {
        var best: WritingEpoch?
        for position in index.epochs.reversed() {
            let node = index.nodes[position]
            guard let number = node.statement.body.epoch?.number else { continue }
            if let best, number < best.number { break }
            if let best, best.hash < node.verified.hash { continue }
            let recipients = index.recipients[position, default: []]
            let excludes = recipients.allSatisfy { party in
                party.device.map { !evaluation.departed.contains($0) } ?? true
            }
            guard excludes || !rules.writingExcludesRemoved, !evaluation.isVoid(position, index) else { continue }
            best = WritingEpoch(hash: node.verified.hash, number: number, recipients: recipients)
        }
        return best
    }

    /// Returns the last segments that count of each device that was removed, or left.
    ///
    /// A removed device could write `leave` or removals with any numbers, as if it had not known of its removal. Therefore removals that
    /// stand come first, then other removals, then `leave`. Among equals the greatest numbers count.
    private static func counted(
        _ index: StatementIndex, _ evaluation: MembershipEvaluation, _ rules: MembershipRules
    ) -> [DeviceIdentifier: CountedSegments] {
        var result: [DeviceIdentifier: CountedSegments] = [:]
        for device in evaluation.departed {
            var best: (rank: Int, counted: CountedSegments)?
            for departure in index.departures[device, default: []] {
                let (rank, counted): (Int, CountedSegments)
                switch index.nodes[departure.position].statement.body {
                case .remove(let removal):
                    (rank, counted) = (evaluation.isVoid(departure.position, index) ? 1 : 2, removal.counted)
                case .leave(let leave):
                    (rank, counted) = (0, leave.counted)
                case .found, .admit, .epoch, .share, .recovery, .settings:
                    continue
                }
                if rules.standingRemovalsCount, let best, best.rank > rank { continue }
                if rules.standingRemovalsCount, let old = best, old.rank < rank { best = nil }
                var sum = counted
                sum.formUnion(best?.counted ?? counted)
                best = (rank, sum)
            }
            result[device] = best?.counted ?? CountedSegments()
        }
        return result
    }
}
