/// The statements of a graph in the order of their arrival, and where to find them. Parents come before children.
struct StatementIndex: Sendable {
    /// A statement with what is known from its past alone.
    struct Node: Sendable {
        let verified: VerifiedStatement
        let past: StatementSet
        /// The number of statements on the longest path from the founding.
        let depth: Int
        /// The statement that set the recovery keys that were current on the past. Nil for the founding.
        let keySetter: Int?
        /// For statements that set recovery keys: the device on whose authority they rest. Nil if that is the founding.
        let keyOwner: DeviceIdentifier?

        var statement: Statement { verified.statement }
    }

    /// The end of a device's membership.
    struct Departure: Sendable {
        let position: Int
        let isRemoval: Bool
    }

    private(set) var nodes: [Node] = []
    private(set) var positions: [ObjectHash: Int] = [:]
    /// Per author, in the order of their indexes.
    private(set) var byAuthor: [CircleParty: [Int]] = [:]
    private(set) var keys: [CircleParty: PartyKeys] = [:]
    /// The statements that admitted a device.
    private(set) var admissions: [DeviceIdentifier: [Int]] = [:]
    private(set) var departures: [DeviceIdentifier: [Departure]] = [:]
    /// The statements that set recovery keys.
    private(set) var keySetters: [Int] = []
    /// The statements by which others have authority: admissions and settings of recovery keys.
    private(set) var authorities: [Int] = []
    /// The statements that have an epoch, in the order of their numbers.
    private(set) var epochs: [Int] = []
    /// Per epoch the parties that received its keys, from any valid statement.
    private(set) var recipients: [Int: Set<CircleParty>] = [:]
    private(set) var settings: [Int] = []
    private(set) var heads: Set<ObjectHash> = []
    /// All statements on which membership depends.
    private(set) var structure = StatementSet.empty
    private(set) var hasRecoveryAuthors = false

    mutating func append(_ node: Node) {
        let (position, statement) = (nodes.count, node.statement)
        nodes.append(node)
        positions[node.verified.hash] = position
        heads.subtract(statement.parents)
        heads.insert(node.verified.hash)
        insertSorted(position, into: &byAuthor[statement.author, default: []]) { $0.statement.index }
        if case .recovery = statement.author { hasRecoveryAuthors = true }
        record(statement.body, author: statement.author, at: position)
    }

    func position(of hash: ObjectHash) -> Int? { positions[hash] }

    /// Returns the highest index of an author within a set; 0 if there is none.
    func lastIndex(of author: CircleParty, within past: StatementSet) -> Int {
        guard let last = byAuthor[author]?.last(where: past.contains) else { return 0 }
        return nodes[last].statement.index
    }

    /// Returns the highest number of an epoch within a set; 0 if there is none.
    func lastEpochNumber(within past: StatementSet) -> UInt32 {
        guard let last = epochs.last(where: past.contains) else { return 0 }
        return nodes[last].statement.body.epoch?.number.rawValue ?? 0
    }

    /// Returns the identifier of the recovery keys that a statement sets.
    func recoveryKeys(setBy position: Int) -> RecoveryIdentifier? {
        nodes[position].statement.body.recoveryKeys?.identifier
    }

    private mutating func record(_ body: StatementBody, author: CircleParty, at position: Int) {
        if let device = body.deviceKeys {
            keys[.device(device.identifier)] = .device(device)
            admissions[device.identifier, default: []].append(position)
        }
        if let recovery = body.recoveryKeys {
            keys[.recovery(recovery.identifier)] = .recovery(recovery)
            keySetters.append(position)
        }
        if body.deviceKeys != nil || body.recoveryKeys != nil {
            authorities.append(position)
            structure.insert(position)
        }
        if let epoch = body.epoch {
            insertSorted(position, into: &epochs) { Int($0.statement.body.epoch?.number.rawValue ?? 0) }
            recipients[position, default: []].formUnion(epoch.shares.keys)
        }
        if body.settings != nil { settings.append(position) }
        switch body {
        case .remove(let removal):
            departures[removal.device, default: []].append(Departure(position: position, isRemoval: true))
            structure.insert(position)
        case .leave:
            guard let device = author.device else { break }
            departures[device, default: []].append(Departure(position: position, isRemoval: false))
            structure.insert(position)
        case .admit(let admission):
            guard let share = admission.share, let epoch = positions[share.epoch] else { break }
            recipients[epoch, default: []].insert(.device(admission.keys.identifier))
        case .share(let sharing):
            guard let epoch = positions[sharing.epoch] else { break }
            recipients[epoch, default: []].formUnion(sharing.shares.keys)
        case .found, .epoch, .recovery, .settings:
            break
        }
    }

    private func insertSorted(_ position: Int, into list: inout [Int], by number: (Node) -> Int) {
        let own = number(nodes[position])
        var place = list.count
        while place > 0, number(nodes[list[place - 1]]) > own { place -= 1 }
        list.insert(position, at: place)
    }
}
