import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeySecretMemory

/// Items of "when passcode set" are stored while another process, or another thread, may remove the passcode and set
/// the next one. What decides is the metadata key of the class, which lies in the database and opens under one class
/// key alone: the enclave is asked about it inside the transaction that stores rows, and inside the one that ends them.
/// SQLite lets only one of the two run at a time, whatever processes they are of.
struct PasscodeItems: Sendable {
    static let keyClass = KeyClass.whenPasscodeSetThisDeviceOnly

    let store: ItemStore
    let enclaveKeys: EnclaveKeyVault

    private var enclave: any EnclaveMailbox { enclaveKeys.enclave }

    /// Checks that a new row of the class opens under the class key that exists now: its keys may have been made before
    /// the transaction began, or before another process removed the passcode.
    ///
    /// A passcode that is removed after this look ends the row after it was stored, as every other one of the class.
    func confirm(_ row: ItemRow, _ item: StoredItem, _ writer: ItemWriter) throws(Setback) {
        guard row.keyClass == Self.keyClass.rawValue else { return }
        guard let metadataKey = try onDisk(writer.reader.metadataKey(ofClass: row.keyClass)) else {
            throw .formerPasscodeKeys
        }
        var keys = [
            WrappedKey(keyClass: Self.keyClass, use: .metadata, binding: [], bytes: metadataKey)
        ]
        if row.wrappedItemKey != nil { keys.append(OpenedRow(row: row, item: item).question) }
        for outcome in try enclave.unwrap(keys) {
            switch outcome {
            case .refused(.damaged), .refused(.classKeyMissing): throw .formerPasscodeKeys
            case .refused(.locked): throw .call(.locked(Self.keyClass))
            // Under the right class key; who may use it is another question.
            case .key, .refused: continue
            }
        }
    }

    /// Checks the same for the item of a key of the enclave, whose row is of another class than the key.
    func confirm(_ new: NewItem) throws(Setback) {
        guard let key = new.enclaveKey, key.isOfPasscode else { return }
        if case .gone(let refusal) = try enclaveKeys.descriptions(of: [key.blob])[0] {
            throw .call(.enclaveKeyGone(refusal))
        }
    }

    /// True if the rows of the class are of a class key that no longer exists: the passcode was removed, and perhaps
    /// the next one set. False where it cannot be told because the class is locked.
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

    /// Ends the rows of a former passcode that a new row of the class meets.
    func endFormerRows(_ writer: ItemWriter) throws(Setback) {
        let ending = Ending(.passcodeRemoved, at: store.clock.wallTime().seconds, isNoticedLater: true)
        _ = try onDisk(writer.endRows(ofClass: Self.keyClass.rawValue, as: ending))
    }
}
