import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag

/// What becomes of a row that has the primary key of another one.
extension KeychainService {
    /// The primary key must be free.
    func makeRoom(for row: ItemRow, _ writer: ItemWriter) throws {
        if try liveRow(inTheWayOf: row, writer) != nil { throw CallFailure.duplicate }
    }

    /// The live row that has the primary key of another one. A tombstone or a row that can no longer be decoded gives way.
    func liveRow(inTheWayOf row: ItemRow, _ writer: ItemWriter) throws -> ItemRow? {
        guard let other = try writer.reader.row(withPrimaryKeyOf: row), other.rowID != row.rowID else { return nil }
        if other.isTombstone {
            try writer.delete(other)
            return nil
        }
        do {
            let item = try sealing.item(of: other, in: writer.reader)
            if isInvalidated(other, item) { throw KeyRefusal.invalidated }
        } catch let refusal as KeyRefusal where refusal != .locked {
            try writer.quarantine(other, reason: Self.quarantineReason(refusal), at: nowMicroseconds())
            return nil
        } catch is KeyRefusal {
            return other
        }
        return other
    }

    /// Whether an item was for an enrolment set that is gone for good.
    private func isInvalidated(_ row: ItemRow, _ item: StoredItem) -> Bool {
        guard (try? AccessControl(serialised: item.accessControl))?.enrolmentSet != nil,
            let keyClass = KeyClass(rawValue: row.keyClass), let wrapped = row.wrappedItemKey
        else { return false }
        let question = WrappedKey(keyClass: keyClass, use: .item, binding: item.accessControl, bytes: wrapped)
        if case .refused(.invalidated)? = try? enclave.unwrap(question) { return true }
        return false
    }

    static func quarantineReason(_ refusal: KeyRefusal) -> String {
        switch refusal {
        case .classKeyMissing: "the key of its protection class no longer exists"
        case .invalidated: "the fingers it was for are no longer those that are enrolled"
        case .deleted: "its key in the enclave was deleted"
        default: "it cannot be decoded"
        }
    }
}
