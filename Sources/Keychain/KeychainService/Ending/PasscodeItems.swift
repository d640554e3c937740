import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeySecretMemory

/// The items of "when passcode set". Another process or thread may remove the passcode and set the next one while they
/// are stored. The metadata key of the class decides: it lies in the database and opens under one class key only. The
/// enclave is asked about it inside the transaction that stores rows, and inside the one that ends them. SQLite lets
/// only one of the two run at a time, even if they belong to different processes.
struct PasscodeItems: Sendable {
    static let keyClass = KeyClass.whenPasscodeSetThisDeviceOnly

    let store: ItemStore
    let enclaveKeys: EnclaveKeyVault

    private var enclave: any EnclaveMailbox { enclaveKeys.enclave }

    /// Checks that a new row of the class opens under the current class key: its keys may have been made before the
    /// transaction began, or before another process removed the passcode.
    ///
    /// If the passcode is removed after this check, the stored row ends like every other row of the class.
    func confirm(_ row: ItemRow, _ item: StoredItem, _ writer: ItemWriter) throws(Setback) {
        guard row.keyClass == Self.keyClass.rawValue else { return }
        guard let metadataKey = try onDisk(writer.reader.metadataKey(ofClass: row.keyClass)) else {
            throw .formerPasscodeKeys
        }
        var keys = [
            WrappedKey(keyClass: Self.keyClass, use: .metadata, binding: [], bytes: metadataKey)
        ]
        if row.wrappedItemKey != nil { keys.append(DecryptedRow(row: row, item: item).question) }
        for outcome in try enclave.unwrap(keys) {
            switch outcome {
            case .refused(.damaged), .refused(.classKeyMissing): throw .formerPasscodeKeys
            case .refused(.locked): throw .call(.locked(Self.keyClass))
            // The class key is the right one. The right to use the row is checked elsewhere.
            case .key, .refused: continue
            }
        }
    }

    /// Checks the same for the item of an enclave key, whose row has another class than the key.
    func confirm(_ new: NewItem) throws(Setback) {
        guard let key = new.enclaveKey, key.isOfPasscode else { return }
        if case .gone(let refusal) = try enclaveKeys.descriptions(of: [key.blob])[0] {
            throw .call(.enclaveKeyGone(refusal))
        }
    }

    /// Returns true if the rows of the class belong to a class key that no longer exists: the passcode was removed, and
    /// perhaps the next one set. Returns false if this cannot be determined because the class is locked.
    func holdsFormerRows(_ reader: ItemReader) throws(Setback) -> Bool {
        guard let metadataKey = try onDisk(reader.metadataKey(ofClass: Self.keyClass.rawValue)) else {
            return false
        }
        let question = WrappedKey(
            keyClass: Self.keyClass, use: .metadata, binding: [], bytes: metadataKey)
        switch try enclave.unwrap(question) {
        case .refused(.classKeyMissing): return true
        case .refused(.damaged): return try !enclaveKeys.sealing.keys.itemKeysOfPasscodeOpen(reader)
        case .key, .refused: return false
        }
    }

    /// Ends the rows of a former passcode when a new row of the class is stored.
    func endFormerRows(_ writer: ItemWriter) throws(Setback) {
        let ending = Ending(.passcodeRemoved, at: store.clock.wallTime(), isNoticedLater: true)
        _ = try onDisk(writer.endRows(ofClass: Self.keyClass.rawValue, as: ending))
    }
}
