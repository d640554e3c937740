internal import LatchkeyCryptoSuite
internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
internal import LatchkeySyncCore
internal import LatchkeySyncKeys

/// The rows and the keys of this device, as its replica sees them. Used by one thread.
final class SyncEnvironment: ReplicaEnvironment {
    let circle: CircleIdentifier
    let device: DeviceIdentifier
    let shared: SharedItems
    let signer: StatementSigner
    let description: DeviceDescription
    let entropy: any Entropy
    let vault: KeyringVault
    /// The keys that are at hand now.
    var keyring: ZoneKeyring { vault.current }
    var graph: StatementGraph {
        didSet { membership = graph.state() }
    }
    /// The result of the rules for all statements of the graph.
    private(set) var membership: MembershipState

    /// Objects that this device has sealed, until the store has them.
    private(set) var sealed: [ObjectName: [UInt8]] = [:]
    /// The bytes of objects that came with this event, or were sealed in it, by their hashes.
    private(set) var bytes: [ObjectHash: [UInt8]] = [:]
    private var received: [ObjectHash: [UInt8]] = [:]
    private var rows: RowLookup
    /// Calls that waited for an epoch have got their versions.
    private var callsHaveVersions = false
    /// The records of the objects that were opened in this event.
    private var opened: [ObjectName: OpenedRecords] = [:]

    init(
        _ membership: SyncMembership, shared: SharedItems, signer: StatementSigner, description: DeviceDescription,
        entropy: any Entropy
    ) {
        circle = membership.graph.circle
        device = membership.device
        graph = membership.graph
        self.membership = membership.graph.state()
        vault = KeyringVault(membership.keyring)
        self.shared = shared
        rows = RowLookup(shared)
        self.signer = signer
        self.description = description
        self.entropy = entropy
    }

    // MARK: Events

    /// Begins an event with the bytes of the objects that came with it.
    func beginEvent(with objects: [ObjectHash: [UInt8]]) { bytes = objects }

    /// Forgets what the event has opened and sealed: nothing is written any more that needs it.
    func endEvent() {
        opened.removeAll()
        rows.forget()
        bytes.removeAll()
    }

    /// Takes a verified object that the store has shown, for the event that answers.
    func receive(_ object: [UInt8], _ hash: ObjectHash) { received[hash] = object }

    func takeReceived() -> [ObjectHash: [UInt8]] {
        defer { received.removeAll() }
        return received
    }

    /// Forgets objects whose transactions were not committed.
    func forgetSealed() { sealed.removeAll() }

    func forgetSealed(_ names: [ObjectName]) {
        for name in names { sealed[name] = nil }
    }

    // MARK: Rows

    func expect(_ names: ArraySlice<ItemName>) { rows.expect(names) }

    func content(of name: ItemName) -> ItemContent? { rows.content(of: name) }

    /// Returns the item of a record that was opened in this event.
    func item(at place: ContentPlace, named name: ItemName) -> RemoteItem? {
        guard case .record(let index, let object) = place else { return nil }
        return opened[object]?.item(index, named: name)
    }

    // MARK: Versions

    /// A table that cannot be read counts as one with such a row.
    var hasCallWithoutName: Bool { (try? shared.read { try $0.hasCallWithoutName() }) ?? true }

    func makeVersions(
        _ count: Int, in epoch: EpochNumber, after clock: LatchkeySyncCore.DeviceClock, wallClock: UInt64
    ) -> MadeVersions {
        var clocks: [LatchkeySyncCore.DeviceClock]?
        do {
            var hasVersions = false
            try shared.write { writer in
                hasVersions = try writer.raiseClock(to: clock)
                clocks = try writer.makeSyncVersions(count, inEpoch: epoch.rawValue, at: wallClock)?.map {
                    DeviceClock($0)
                }
            }
            if hasVersions { callsHaveVersions = true }
            return clocks.map { .made($0) } ?? .needsEpoch
        } catch {
            // The versions are not in the stored clock, and a call could get one of them.
            return .failed
        }
    }

    /// True if calls that waited for an epoch have got their versions since this was asked last: they have to be
    /// reported again.
    func takeHasVersions() -> Bool {
        defer { callsHaveVersions = false }
        return callsHaveVersions
    }

    // MARK: Sealing

    func seal(_ segment: SegmentDraft) -> ObjectSeal? {
        guard let zoneKey = keyring.key(of: segment.epoch.hash, segment.dot.stream.zone),
            let plaintext = plaintext(of: segment.records.map { ($0, nil) })
        else { return nil }
        let header = SegmentObject.Header(circle: circle, segment)
        let body = ContentSeal(.segment(segment.dot), in: circle, segment.epoch.hash, zoneKey: zoneKey).seal(
            plaintext, header: header.bytes, entropy: entropy)
        return sign(SegmentObject(header: header, sealedBody: body), as: .segment(segment.dot))
    }

    func seal(_ part: SnapshotPartDraft) -> ObjectSeal? {
        guard let zoneKey = keyring.key(of: part.epoch.hash, .a), let number = UInt32(exactly: part.part),
            let plaintext = plaintext(of: part.entries.map { ($0.record, $0.dot) })
        else { return nil }
        let header = SnapshotPartObject.Header(circle: circle, part)
        let body = ContentSeal(
            .snapshotPart(StreamIdentifier(part.device, .a), number: part.number, part: number), in: circle,
            part.epoch.hash, zoneKey: zoneKey
        ).seal(plaintext, header: header.bytes, entropy: entropy)
        return sign(SnapshotPartObject(header: header, sealedBody: body), as: part.name)
    }

    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash? {
        guard let epoch = membership.writingEpoch, let zoneKey = keyring.key(of: epoch.hash, .c) else { return nil }
        // The epoch is named first, because a reader has to know under which key it opens the label.
        let label =
            epoch.hash.bytes
            + description.sealed(for: device, in: circle, epoch.hash, zoneKeyC: zoneKey, entropy: entropy)
        let head = HeadObject(circle: circle, device: device, number: number, date: date, body: body, label: label)
        return sign(head, as: .head(device))?.hash
    }

    private func sign(_ object: some LoggedContent, as name: ObjectName) -> ObjectSeal? {
        guard let content = try? object.content(), let signature = try? signer.signature(over: content),
            let object = try? object.bytes(signature: signature)
        else { return nil }
        let hash = content.hash
        // One part of a snapshot is needed at a time, and only these are in no table.
        if case .snapshotPart = name { sealed.removeAll() }
        sealed[name] = object
        bytes[hash] = object
        return ObjectSeal(hash: hash, byteCount: object.count)
    }

    /// Puts records together with their contents. Nil if a content is not at hand, or is another one by now: readers compare it with its
    /// record, and would take the whole object for malformed.
    private func plaintext(of records: [(SyncRecord, Dot?)]) -> SecretBox? {
        var plain: [PlainRecord] = []
        var secrets: [SecretBox?] = []
        let rows = rows.rows(records.compactMap { $0.0.isInRow ? $0.0.name : nil })
        for (record, dot) in records {
            guard case .live(let content) = record.state else {
                plain.append(PlainRecord(record, dot: dot))
                secrets.append(nil)
                continue
            }
            guard let (attributes, secret) = parts(of: content, rows[record.name]) else { return nil }
            plain.append(
                PlainRecord(record, dot: dot, attributes: attributes, secretByteCount: secret?.count ?? 0))
            secrets.append(secret)
        }
        guard let text = try? RecordPlaintext(plain) else { return nil }
        return unsafe SecretBox(count: text.byteCount) { output in
            var position = 0
            for piece in text.pieces {
                switch piece {
                case .bytes(let bytes):
                    for byte in bytes {
                        unsafe output[position] = byte
                        position += 1
                    }
                case .secret(let record, let byteCount):
                    if let secret = secrets[record] {
                        let room = unsafe UnsafeMutableRawBufferPointer(
                            rebasing: output[position..<position + byteCount])
                        unsafe secret.withBytes { unsafe room.copyMemory(from: $0) }
                    }
                    position += byteCount
                }
            }
        }
    }

    private func parts(of content: ItemContent, _ row: OpenedRow?) -> (attributes: [UInt8], secret: SecretBox?)? {
        switch content.place {
        case .row:
            guard let row, row.content == content else { return nil }
            return (row.attributes, row.secret)
        case .record(let index, let object): return opened[object]?.parts(of: index)
        }
    }

    // MARK: Opening

    func open(_ segment: SealedSegment) throws(OpeningFailure) -> OpenedSegment {
        let name = ObjectName.segment(segment.dot)
        guard let object = bytes(of: segment).flatMap({ try? StoredObject.segment($0).object }),
            let zoneKey = keyring.key(of: segment.epoch, segment.dot.stream.zone)
        else { throw .notYet }
        let seal = ContentSeal(.segment(segment.dot), in: circle, segment.epoch, zoneKey: zoneKey)
        let (number, records) = try open(
            object.sealedBody, header: object.header.bytes, seal, epoch: segment.epoch, as: name)
        guard let opened = try? OpenedSegment(epoch: number, plain: records) else { throw .malformed }
        return opened
    }

    func open(_ part: SealedSnapshotPart) throws(OpeningFailure) -> OpenedSnapshotPart {
        guard let stored = bytes[part.seal.hash],
            let object = try? SnapshotPartObject(parsing: StoredObject.content(of: stored)),
            let number = UInt32(exactly: part.part), let zoneKey = keyring.key(of: part.epoch, .a)
        else { throw .notYet }
        let seal = ContentSeal(
            .snapshotPart(StreamIdentifier(part.device, .a), number: part.number, part: number), in: circle, part.epoch,
            zoneKey: zoneKey)
        let (epoch, records) = try open(
            object.sealedBody, header: object.header.bytes, seal, epoch: part.epoch, as: part.name)
        guard let opened = try? OpenedSnapshotPart(epoch: epoch, plain: records) else { throw .malformed }
        return opened
    }

    private func bytes(of segment: SealedSegment) -> [UInt8]? {
        if let known = bytes[segment.hash] { return known }
        guard let stored = try? shared.read({ try $0.syncPending(of: segment.dot.row) }) else { return nil }
        bytes[segment.hash] = stored
        return stored
    }

    private func open(
        _ sealedBody: [UInt8], header: [UInt8], _ seal: ContentSeal, epoch: ObjectHash, as name: ObjectName
    ) throws(OpeningFailure) -> (EpochNumber, [PlainRecord]) {
        guard let number = graph[epoch]?.statement.body.epoch?.number else { throw .notYet }
        guard let plaintext = try? seal.open(sealedBody, header: header),
            let records = unsafe plaintext.withBytes({ unsafe try? RecordPlaintext.records(in: $0, of: name) })
        else { throw .malformed }
        let hasKeys = shared.hasSharingKeys
        guard let found = OpenedRecords(plaintext, records, accepts: isItem) else {
            // Without lent keys no item is one of the circle: the lock state has just changed.
            throw hasKeys && shared.hasSharingKeys ? .malformed : .notYet
        }
        opened[name] = found
        return (number, records)
    }

    /// A record of an item that cannot be one of this circle makes its segment malformed: no row is written for it.
    private func isItem(_ item: RemoteItem, _ content: ItemContent) -> Bool {
        guard let own = shared.content(of: item) else { return false }
        return own.digest == content.digest.bytes && own.zone == content.zone.rawValue
            && ItemCoding.dates(of: item.item) == content.dates
    }

    // MARK: Digest

    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest? {
        keyring.circleKeys?.digest(of: name.bytes + version.bytes + content.bytes)
    }
}

extension SyncRecord {
    /// True if the content is that of a row.
    fileprivate var isInRow: Bool {
        if case .live(let content) = state { content.place == .row } else { false }
    }
}
