import LatchkeySyncCore

/// The statements of a run as real ones without signatures, and graphs of those that devices know.
struct RealStatements {
    private var numbers: SeededNumbers
    private var keys: [DeviceIdentifier: DevicePublicKeys] = [:]
    private var verified: [VerifiedStatement] = []
    private var pasts: [UInt64] = []
    /// By the statements in them.
    private var graphs: [UInt64: StatementGraph] = [:]
    private(set) var refusal: String?

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed ^ 0x6EA1)
    }

    mutating func makeIdentifier(number: Int) -> DeviceIdentifier {
        let device = DevicePublicKeys(
            statement: point(), log: point(), receiveA: receiveKeys(), receiveC: receiveKeys())
        keys[device.identifier] = device
        return device.identifier
    }

    mutating func add(
        _ statement: SimulatedMembership.Statement, by author: DeviceIdentifier, about device: DeviceIdentifier?
    ) {
        let number = verified.count
        let known = statement.past & ~(1 << UInt64(number))
        do {
            let made = try make(statement, author, device, known)
            verified.append(VerifiedStatement(testOnlyUnsigned: made, hash: statement.hash))
            pasts.append(statement.past)
            _ = graph(statement.past)
        } catch {
            refusal = refusal ?? "statement \(number) cannot be written: \(error)"
        }
    }

    mutating func view(_ known: UInt64) -> CircleView? { graph(known)?.state().view }

    /// Returns a graph of the statements, built from that of all but the last.
    private mutating func graph(_ known: UInt64) -> StatementGraph? {
        if let graph = graphs[known] { return graph }
        guard known != 0, refusal == nil else { return nil }
        let last = 63 - known.leadingZeroBitCount
        guard last > 0 else {
            graphs[known] = try? StatementGraph(founding: verified[0])
            return graphs[known]
        }
        guard var graph = self.graph(known & ~(1 << UInt64(last))) else { return nil }
        let result = graph.insert(verified[last])
        if result != .accepted { refusal = refusal ?? "statement \(last) is refused: \(result)" }
        graphs[known] = graph
        return graph
    }

    private mutating func make(
        _ statement: SimulatedMembership.Statement, _ author: DeviceIdentifier, _ device: DeviceIdentifier?,
        _ known: UInt64
    ) throws -> Statement {
        guard case .founded = statement.kind else {
            guard let graph = self.graph(known), let place = graph.nextPlace(for: .device(author)) else {
                throw StatementFailure.misplacedFounding
            }
            let state = graph.state()
            return try Statement(
                circle: place.circle, author: place.author, index: place.index, parents: place.parents, date: 0,
                body: try body(statement.kind, device, state, place.epochNumber))
        }
        guard let keys = keys[author] else { throw StatementFailure.otherKeys }
        let founding = Founding(
            keys: keys, recovery: RecoveryPublicKeys(signing: point(), receive: receiveKeys()),
            settings: try CircleSettings())
        return try Statement(founding: founding, date: 0)
    }

    private func body(
        _ kind: SimulatedMembership.Kind, _ device: DeviceIdentifier?, _ state: MembershipState, _ next: EpochNumber
    ) throws -> StatementBody {
        switch (kind, device) {
        case (.admitted, let device?):
            guard let keys = keys[device] else { throw StatementFailure.otherKeys }
            let share = state.writingEpoch.map { Admission.Share(epoch: $0.hash, shares: Self.shares) }
            return .admit(Admission(keys: keys, share: share))
        case (.removed(_, let counted), let device?):
            let recipients = state.epochRecipients(removing: device, newKeys: nil)
            return .remove(
                Removal(
                    device: device, counted: counted, erases: false, epoch: try epoch(next, recipients)))
        case (.left(let counted), _): return .leave(Leave(counted: counted))
        default: return .epoch(try epoch(next, state.epochRecipients))
        }
    }

    private func epoch(_ number: EpochNumber, _ recipients: Set<CircleParty>) throws -> Epoch {
        try Epoch(
            number: number, commitments: Self.commitments,
            shares: Dictionary(uniqueKeysWithValues: recipients.map { ($0, Self.shares) }))
    }

    // MARK: Key material that is never used

    private static let shares = ZoneShares(a: filled(), c: filled())
    private static let commitments = ZoneCommitments(a: filled(), c: filled())

    private static func filled<Format>() -> FixedBytes<Format> {
        guard let bytes = FixedBytes<Format>([UInt8](repeating: 4, count: Format.byteCount)) else {
            preconditionFailure("the length is that of the format")
        }
        return bytes
    }

    private mutating func point() -> P256PublicKey {
        let bytes = [4] + (0..<64).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        guard let point = P256PublicKey(bytes) else { preconditionFailure("65 bytes are a point") }
        return point
    }

    private mutating func receiveKeys() -> ReceivePublicKeys {
        ReceivePublicKeys(agreement: point(), encapsulation: Self.filled())
    }
}
