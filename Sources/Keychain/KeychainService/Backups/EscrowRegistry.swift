import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The hosts that have a keybag of this device, as the database keeps them.
struct EscrowRegistry: Sendable {
    private static let settingPrefix = "escrow:"

    let store: ItemStore

    func add(_ made: MadeEscrow, hostName: String) throws(Setback) {
        let record = EscrowRecord(
            identifier: made.keybag.header.uuid, hostName: hostName, created: store.clock.wallTime())
        try store.write { writer in
            guard try writer.reader.settings(withPrefix: Self.settingPrefix).count < EscrowRecord.limit else {
                throw Setback.call(.param, .escrowLimit, EscrowRecord.limit)
            }
            try writer.set(
                StoredEscrow(record, made.sealedKey).encoded, named: Self.setting(of: record.identifier))
        }
    }

    /// Returns the hosts, the oldest first.
    func records() throws(Setback) -> [EscrowRecord] {
        let stored = try store.read { try $0.settings(withPrefix: Self.settingPrefix) }
        return stored.values.compactMap { StoredEscrow(encoded: $0)?.record }.sorted { $0.created < $1.created }
    }

    /// Returns the device's half of an escrow; nil if it was never made here, or ended.
    func sealedKey(of identifier: [UInt8]) throws(Setback) -> SealedEscrowKey? {
        let stored = try store.read { try $0.setting(named: Self.setting(of: identifier)) }
        return stored.flatMap { StoredEscrow(encoded: $0)?.sealedKey }
    }

    /// Removes hosts.
    /// - Parameter isWanted: gets the identifier of each.
    /// - Returns: their number.
    func remove(_ isWanted: @escaping ([UInt8]) -> Bool) throws(Setback) -> Int {
        try store.write { writer in
            let known = try writer.reader.settings(withPrefix: Self.settingPrefix)
            let going = known.filter { entry in
                StoredEscrow(encoded: entry.value).map { isWanted($0.record.identifier) } ?? true
            }
            for name in going.keys { try writer.removeSetting(named: Self.settingPrefix + name) }
            return going.count
        }
    }

    private static func setting(of identifier: [UInt8]) -> String { settingPrefix + Hexadecimal.text(identifier) }
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
            let created = WallTime(dateBytes: Array(bytes[Self.head - 8..<Self.head])),
            let name = String(validating: bytes[Self.head...], as: UTF8.self)
        else { return nil }
        record = EscrowRecord(
            identifier: Array(bytes[1..<1 + EscrowRecord.identifierByteCount]), hostName: name,
            created: created)
        sealedKey = key
    }
}
