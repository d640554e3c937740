import LatchkeySyncCore

/// A scripted membership: statements with their pasts as bit sets, evaluated by the rules of removal and void admission.
struct SimulatedMembership {
    struct Statement {
        let author: Int
        let kind: Kind
        /// The statements that the author knew, and this one.
        let past: UInt64
        let epoch: UInt32?
        /// The devices that the epoch's keys are shared with.
        let recipients: Set<Int>
        let hash: ObjectHash
    }

    enum Kind {
        case founded
        case admitted(Int)
        case removed(Int, CountedSegments)
        /// The author left.
        case left(CountedSegments)
        case epoch

        /// The device that is admitted or removed.
        var device: Int? {
            switch self {
            case .admitted(let device), .removed(let device, _): device
            case .founded, .left, .epoch: nil
            }
        }
    }

    private(set) var statements: [Statement] = []
    private var views: [UInt64: CircleView] = [:]
    /// The statements for the real rules. Nil in most runs, which evaluate the script: that is faster.
    private var real: RealStatements?
    /// The device identifiers by number. Two numbers can have one identifier: a clone.
    var identifiers: [DeviceIdentifier] = []

    static let limit = 60

    /// - Parameter seed: of the keys of devices for the real rules; nil for the script.
    init(realFrom seed: UInt64? = nil) {
        real = seed.map { RealStatements(seed: $0) }
    }

    /// True if the founding has no epoch, as with the real rules.
    var needsFirstEpoch: Bool { real != nil }

    /// A statement that the real rules refused.
    var refusal: String? { real?.refusal }

    /// Returns the identifier of a new device. Nil if any will do.
    mutating func makeIdentifier(number: Int) -> DeviceIdentifier? { real?.makeIdentifier(number: number) }

    /// - Returns: the number of the statement.
    mutating func add(_ kind: Kind, by author: Int, knowing known: UInt64) -> Int {
        let number = statements.count
        let bit: UInt64 = 1 << UInt64(number)
        let highest = statements.indices.filter { known & 1 << UInt64($0) != 0 }.compactMap { statements[$0].epoch }
            .max()
        var recipients = members(known | bit, with: kind)
        var epoch: UInt32?
        switch kind {
        case .founded: epoch = real == nil ? 1 : nil
        case .admitted, .left: recipients = []
        case .removed(let device, _):
            epoch = (highest ?? 0) + 1
            recipients = recipients.filter { identifiers[$0] != identifiers[device] }
        case .epoch: epoch = (highest ?? 0) + 1
        }
        let word = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
        statements.append(
            Statement(
                author: author, kind: kind, past: known | bit, epoch: epoch, recipients: recipients,
                hash: ObjectHash(words: (word, 1, 1, 1))))
        let (statement, writer) = (statements[number], identifiers[author])
        let device = kind.device.map { identifiers[$0] }
        real?.add(statement, by: writer, about: device)
        return number
    }

    private func members(_ known: UInt64, with kind: Kind) -> Set<Int> {
        if case .founded = kind { return [0] }
        return numbers(known & (1 << UInt64(statements.count) - 1))
    }

    func hashes(_ known: UInt64) -> Set<ObjectHash> {
        Set(statements.indices.filter { known & 1 << UInt64($0) != 0 }.map { statements[$0].hash })
    }

    /// Returns what the statements of `known` say.
    mutating func view(_ known: UInt64) -> CircleView {
        if let view = views[known] { return view }
        let view = real?.view(known) ?? evaluate(known)
        views[known] = view
        return view
    }

    private func isVoid(_ number: Int, _ known: UInt64, _ voids: UInt64) -> Bool {
        let statement = statements[number]
        for (other, removal) in statements.enumerated() where known & 1 << UInt64(other) != 0 {
            if case .removed(let device, _) = removal.kind, identifiers[device] == identifiers[statement.author],
                removal.past & 1 << UInt64(number) == 0, !isRemoval(statement)
            {
                return true
            }
        }
        for (other, admission) in statements.enumerated() where known & 1 << UInt64(other) != 0 {
            if case .admitted(statement.author) = admission.kind, voids & 1 << UInt64(other) != 0 {
                return !isRemoval(statement)
            }
        }
        return false
    }

    private func isRemoval(_ statement: Statement) -> Bool {
        if case .removed = statement.kind { true } else { false }
    }

    private func voids(_ known: UInt64) -> UInt64 {
        var voids: UInt64 = 0
        for number in statements.indices where known & 1 << UInt64(number) != 0 {
            if isVoid(number, known, voids) { voids |= 1 << UInt64(number) }
        }
        return voids
    }

    private func numbers(_ known: UInt64) -> Set<Int> {
        let voids = voids(known)
        var members: Set<Int> = []
        var removed: Set<DeviceIdentifier> = []
        for (number, statement) in statements.enumerated() where known & 1 << UInt64(number) != 0 {
            switch statement.kind {
            case .founded: members.insert(statement.author)
            case .admitted(let device) where voids & 1 << UInt64(number) == 0: members.insert(device)
            case .removed(let device, _): removed.insert(identifiers[device])
            case .left: removed.insert(identifiers[statement.author])
            case .admitted, .epoch: break
            }
        }
        return members.filter { !removed.contains(identifiers[$0]) }
    }

    private func evaluate(_ known: UInt64) -> CircleView {
        let voids = voids(known)
        var removed: [DeviceIdentifier: CountedSegments] = [:]
        var inPasts: UInt64 = 0
        for (number, statement) in statements.enumerated() where known & 1 << UInt64(number) != 0 {
            inPasts |= statement.past & ~(1 << UInt64(number))
            // A device with a void admission is treated as a removed one of which nothing counts.
            if case .admitted(let device) = statement.kind, voids & 1 << UInt64(number) != 0 {
                removed[identifiers[device], default: CountedSegments()].formUnion(CountedSegments())
            }
            if case .removed(let device, let counted) = statement.kind {
                removed[identifiers[device], default: CountedSegments()].formUnion(counted)
            }
            // Removals count before the own word of a device.
            if case .left(let counted) = statement.kind, !isRemoved(statement.author, known) {
                removed[identifiers[statement.author], default: CountedSegments()].formUnion(counted)
            }
        }
        // The author of a removal seals nothing for the removed, even if the removal's author is removed as well.
        let usable = statements.indices.filter { number in
            let statement = statements[number]
            guard known & 1 << UInt64(number) != 0, statement.epoch != nil, !isVoidEpoch(number, known, voids) else {
                return false
            }
            return statement.recipients.allSatisfy { removed[identifiers[$0]] == nil }
        }
        let writing = usable.max { left, right in
            let (left, right) = (statements[left], statements[right])
            return (left.epoch ?? 0, right.hash) < (right.epoch ?? 0, left.hash)
        }
        return CircleView(
            members: Set(numbers(known).map { identifiers[$0] }), removed: removed,
            writingEpoch: writing.flatMap { number in
                statements[number].epoch.map { EpochName(number: EpochNumber($0), hash: statements[number].hash) }
            },
            statementHeads: Set(
                statements.indices.filter { known & ~inPasts & 1 << UInt64($0) != 0 }.map { statements[$0].hash }))
    }

    private func isRemoved(_ device: Int, _ known: UInt64) -> Bool {
        statements.enumerated().contains { number, statement in
            guard known & 1 << UInt64(number) != 0, case .removed(let other, _) = statement.kind else { return false }
            return identifiers[other] == identifiers[device]
        }
    }

    /// A removal takes effect although its author was removed, but its epoch does not.
    private func isVoidEpoch(_ number: Int, _ known: UInt64, _ voids: UInt64) -> Bool {
        if voids & 1 << UInt64(number) != 0 { return true }
        let author = identifiers[statements[number].author]
        return statements.enumerated().contains { other, removal in
            guard known & 1 << UInt64(other) != 0, case .removed(let device, _) = removal.kind else { return false }
            return identifiers[device] == author && removal.past & 1 << UInt64(number) == 0
        }
    }
}
