internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Evidence: two objects that one device signed for one place. It proves itself, whichever device put it into the store.
extension SyncEngine {
    /// The bytes after which no further evidence is read in one exchange.
    private static let evidenceByteLimit = 4 << 20

    /// Writes the two objects for the other members, if both are at hand. Of an applied segment only the hash is.
    func publish(_ contradiction: Contradiction) {
        guard let objects = objects(of: contradiction), let evidence = try? Evidence(objects.0, objects.1),
            let bytes = try? evidence.bytes(), let hash = try? evidence.content().hash
        else { return }
        do throws(StoreFailure) {
            try store.create([.evidence(hash): bytes])
        } catch {
            // Another member that sees the same two objects writes the same evidence.
            writeFailure = error
        }
    }

    private func objects(of contradiction: Contradiction) -> ([UInt8], [UInt8])? {
        switch contradiction {
        case .heads(let device, let one, let other):
            guard let seen = try? parts.items.read({ try $0.syncHead(of: device.bytes) }),
                let hash = try? StoredObject.head(seen).hash, [one, other].contains(hash),
                let shown = environment.bytes[hash == one ? other : one]
            else { return nil }
            return (seen, shown)
        case .segments(_, let one, let other):
            guard let first = environment.bytes[one], let second = environment.bytes[other] else { return nil }
            return (first, second)
        }
    }

    /// In microseconds. A member that sees both objects itself needs no evidence.
    private static let evidenceInterval = 10 * ReplicaLimits.minute

    /// Returns the devices against which the store has evidence that was not looked at yet. It is looked for from time to time.
    func readEvidence() -> [DeviceIdentifier] {
        guard parts.now.uptime >= evidenceAt, let found = try? newEvidence() else { return [] }
        evidenceAt = parts.now.uptime + Self.evidenceInterval
        return found
    }

    private func newEvidence() throws(StoreFailure) -> [DeviceIdentifier] {
        let shown = Set(try store.list(.evidence).names)
        let names = evidenceSieve.wanted(shown, known: [], at: parts.now.uptime)
        guard !names.isEmpty else { return [] }
        let read = try store.readAll(names, byteLimit: Self.evidenceByteLimit)
        for name in read.objects.keys { evidenceSieve.note(judged: name) }
        for name in read.damaged { evidenceSieve.note(damaged: name, at: parts.now.uptime) }
        return read.objects.sorted { $0.key < $1.key }.compactMap { proved(by: $0.value) }
    }

    private func proved(by bytes: [UInt8]) -> DeviceIdentifier? {
        guard let evidence = try? Evidence(parsing: bytes), let device = evidence.claimedDevice,
            case .device(let keys)? = environment.graph.keys(of: .device(device))
        else { return nil }
        return try? evidence.verify(in: circle, with: keys, by: P256StatementVerifier())
    }
}
