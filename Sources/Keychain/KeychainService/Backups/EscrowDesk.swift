import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The desk for the hosts that may back up and restore without the passcode.
struct EscrowDesk: Sendable {
    private static let settingPrefix = "escrow:"

    let enclave: any EnclaveMailbox
    let store: ItemStore
    let clock: any DeviceClock
    let grants: BackupGrants
    let authority: OwnersAuthority
    let failures: CallFailures
    /// Makes the parts that find and store items, for the enclave of a host.
    let items: @Sendable (any EnclaveMailbox) -> ItemParts

    func answer(_ question: CreateEscrow, _ caller: Caller) throws(DeviceRefusal) -> HostKeybag {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            guard let passcode = question.passcode else { throw .call(.enclave(.noPasscodeSet)) }
            let made = try enclave.answer(to: MakeEscrow(passcode: passcode))
            let identifier = made.keybag.header.uuid
            let record = EscrowRecord(
                identifier: identifier, hostName: question.hostName, created: clock.wallTime().seconds)
            try store.write { writer in
                guard try writer.reader.settings(withPrefix: Self.settingPrefix).count < EscrowRecord.limit else {
                    throw Setback.call(
                        .param, .escrowLimit, "This device has \(EscrowRecord.limit) hosts already.",
                        advice: "Revoke one that is not used: latchkey escrow revoke.")
                }
                try writer.set(
                    StoredEscrow(record, made.sealedKey).encoded, named: Self.setting(of: identifier))
            }
            return HostKeybag(made.keybag.bytes)
        }
    }

    func answer(_ question: ListEscrows, _ caller: Caller) throws(DeviceRefusal) -> [EscrowRecord] {
        try caller.refuseBackups()
        do throws(Setback) {
            let stored = try store.read { try $0.settings(withPrefix: Self.settingPrefix) }
            return stored.values.compactMap { StoredEscrow(encoded: $0)?.record }.sorted { $0.created < $1.created }
        } catch {
            throw failures.failure(error).declined
        }
    }

    func answer(_ question: RevokeEscrow, _ caller: Caller) throws(DeviceRefusal) -> RemovedCount {
        try caller.refuseBackups()
        return try failures.journalling(question, by: caller) { () throws(Setback) in
            let removed = try remove { question.identifier == nil || $0 == question.identifier }
            grants.end(ofHosts: { question.identifier == nil || $0 == question.identifier })
            return RemovedCount(removed)
        }
    }

    /// After the passcode has gone, no host's keybag opens any more.
    func passcodeHasGone() {
        _ = try? remove { _ in true }
        grants.end(ofHosts: { _ in true })
    }

    /// - Parameter isWanted: gets the identifier of each.
    private func remove(_ isWanted: @escaping ([UInt8]) -> Bool) throws(Setback) -> Int {
        try store.write { writer in
            let known = try writer.reader.settings(withPrefix: Self.settingPrefix)
            let going = known.filter { entry in
                StoredEscrow(encoded: entry.value).map { isWanted($0.record.identifier) } ?? true
            }
            for name in going.keys { try writer.removeSetting(named: Self.settingPrefix + name) }
            return going.count
        }
    }

    /// The right of a host that presents its keybag.
    func session(of host: HostKeybag) throws(Setback) -> HostSession {
        let identifier = (try? Keybag(parsing: host.bytes))?.header.uuid ?? []
        let stored = try store.read { try $0.setting(named: Self.setting(of: identifier)) }
        guard let stored, let escrow = StoredEscrow(encoded: stored) else { throw .call(.escrowOver) }
        switch try enclave.answer(to: OpenEscrow(host.bytes, escrow.sealedKey)) {
        case .opened(let context):
            return HostSession(escrow: identifier, context: context, enclave: enclave, items: items)
        case .over:
            throw .call(.escrowOver)
        case .passcodeNeeded:
            throw .call(
                .interactionNotAllowed, .escrowNeedsPasscode,
                "A host is served from the first unlock on: the device has been restarted or locked remotely since.",
                advice: "Unlock the device once: latchkey unlock.")
        case .tooMany:
            throw .authentication(.tooManyContexts)
        }
    }

    private static func setting(of identifier: [UInt8]) -> String {
        settingPrefix + Hexadecimal.text(identifier)
    }
}

extension CallFailure {
    fileprivate static let escrowOver = CallFailure(
        .authFailed, .escrowOver,
        "This device does not know the host: its keybag is of another device, was revoked, or ended with a passcode.",
        advice: "Make a new one: latchkey escrow create.")
}

/// A host as the database stores it: version (1), identifier, sealed key, date, and name.
private struct StoredEscrow {
    private static let version: UInt8 = 1
    private static let head = 1 + EscrowRecord.identifierByteCount + SealedEscrowKey.byteCount + 8

    let record: EscrowRecord
    let sealedKey: SealedEscrowKey

    init(_ record: EscrowRecord, _ sealedKey: SealedEscrowKey) {
        self.record = record
        self.sealedKey = sealedKey
    }

    var encoded: [UInt8] {
        [Self.version] + record.identifier + sealedKey.bytes + record.created.dateBytes + Array(record.hostName.utf8)
    }

    init?(encoded bytes: [UInt8]) {
        let nameByteCount = bytes.count - Self.head
        guard (1...EscrowRecord.nameByteLimit).contains(nameByteCount), bytes[0] == Self.version,
            let key = SealedEscrowKey(Array(bytes[1 + EscrowRecord.identifierByteCount..<Self.head - 8])),
            let created = Double(dateBytes: Array(bytes[Self.head - 8..<Self.head])),
            let name = String(validating: bytes[Self.head...], as: UTF8.self)
        else { return nil }
        record = EscrowRecord(
            identifier: Array(bytes[1..<1 + EscrowRecord.identifierByteCount]), hostName: name,
            created: created)
        sealedKey = key
    }
}
