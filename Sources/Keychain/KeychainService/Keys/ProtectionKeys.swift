import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization

/// The keys that the service holds itself, while their class is available: metadata keys and the search key.
///
/// They are wrapped by class keys and fetched from the enclave when first needed. A new key epoch drops them all.
final class ProtectionKeys: Sendable {
    private struct Cache {
        var epoch: UInt64
        var metadata: [KeyClass: SecretBox] = [:]
        var search: SecretBox?
    }

    private static let searchKeyName = "search"

    private let enclave: any EnclaveMailbox
    private let store: ItemStore
    private let cache: Mutex<Cache>

    init(enclave: any EnclaveMailbox, store: ItemStore) {
        self.enclave = enclave
        self.store = store
        cache = Mutex(Cache(epoch: enclave.keyEpoch))
    }

    /// Wipes every key whose epoch is over. The owner calls it when keys came or went, so that none stays in memory.
    func dropOutdated() {
        let epoch = enclave.keyEpoch
        cache.withLock { if $0.epoch != epoch { $0 = Cache(epoch: epoch) } }
    }

    /// The metadata key for opening rows of a class. A class without one has no row that opens.
    /// - Parameter transaction: the reader of the transaction that the row was read in; the key may have been made in
    ///   it, by another writer of the same commit.
    func metadataKey(toRead keyClass: KeyClass, in transaction: ItemReader? = nil) throws(Setback) -> SecretBox {
        do throws(Setback) {
            if let key = try committedMetadataKey(keyClass) { return key }
            guard let wrapped = try onDisk(transaction?.metadataKey(ofClass: keyClass.rawValue)) else {
                throw .key(.damaged)
            }
            return try unwrap(wrapped, keyClass, .metadata)
        } catch .key(.damaged) where keyClass == .whenPasscodeSetThisDeviceOnly {
            return try metadataKeyOfPasscode(in: transaction)
        }
    }

    /// Where the metadata key of "when passcode set" does not open under the class key, it is of a former passcode,
    /// whose class key is gone for ever. The transaction may have another one already.
    private func metadataKeyOfPasscode(in transaction: ItemReader?) throws(Setback) -> SecretBox {
        let keyClass = KeyClass.whenPasscodeSetThisDeviceOnly
        let stored = try store.read { try $0.metadataKey(ofClass: keyClass.rawValue) }
        guard let wrapped = try onDisk(transaction?.metadataKey(ofClass: keyClass.rawValue)) ?? stored else {
            throw .key(.damaged)
        }
        do throws(Setback) {
            return try unwrap(wrapped, keyClass, .metadata)
        } catch .key(.damaged) {
            let isDamage =
                if let transaction { try itemKeysOfPasscodeOpen(transaction) } else {
                    try store.read(itemKeysOfPasscodeOpen)
                }
            throw .key(isDamage ? .damaged : .classKeyMissing)
        }
    }

    /// True if an item key of "when passcode set" opens: a metadata key of the class that does not is then damaged, and
    /// not of a former passcode. Item keys of rows with conditions do not open here, so where there are no others,
    /// nothing tells damage from a former passcode.
    func itemKeysOfPasscodeOpen(_ reader: ItemReader) throws(Setback) -> Bool {
        let keyClass = KeyClass.whenPasscodeSetThisDeviceOnly
        let binding = AccessControl(protection: .whenPasscodeSetThisDeviceOnly).serialised
        var keys: [[UInt8]] = []
        for schema in ItemSchema.all {
            var filter = RowFilter(itemClass: schema.itemClass)
            filter.keyClass = keyClass.rawValue
            keys += try reader.allRows(matching: filter, withSecret: false).compactMap(\.wrappedItemKey)
        }
        var doesOneOpen = false
        try keys.inBatches { batch throws(Setback) in
            guard !doesOneOpen else { return }
            let questions = batch.map { WrappedKey(keyClass: keyClass, use: .item, binding: binding, bytes: $0) }
            doesOneOpen = try enclave.unwrap(questions).contains { if case .key = $0 { true } else { false } }
        }
        return doesOneOpen
    }

    /// The metadata key as the last commit left it. Only such a key is kept in the cache: a key of a transaction that
    /// fails in the end would seal rows that nobody can open after a restart.
    private func committedMetadataKey(_ keyClass: KeyClass) throws(Setback) -> SecretBox? {
        if let key = cached({ $0.metadata[keyClass] }) { return key }
        let epoch = enclave.keyEpoch
        guard let wrapped = try store.read({ try $0.metadataKey(ofClass: keyClass.rawValue) }) else { return nil }
        let key = try unwrap(wrapped, keyClass, .metadata)
        keep(epoch) { $0.metadata[keyClass] = key }
        return key
    }

    /// The metadata key of a class if it is at hand: then a row can be sealed before its transaction begins.
    func metadataKeyAtHand(_ keyClass: KeyClass) -> SecretBox? {
        cached { $0.metadata[keyClass] }
    }

    /// The metadata key for storing rows of a class; made with the first row, inside its transaction.
    /// - Parameter endFormer: ends the rows of "when passcode set" that are of a former passcode, and forgets their
    ///   metadata key: with the new one they could not be told from damaged rows.
    func metadataKey(
        toWrite keyClass: KeyClass, in writer: ItemWriter, endFormer: () throws(Setback) -> Void
    ) throws(Setback) -> SecretBox {
        // Another process may have replaced that of "when passcode set" since the last commit that this one has seen.
        if keyClass != .whenPasscodeSetThisDeviceOnly, let key = try committedMetadataKey(keyClass) { return key }
        if let wrapped = try onDisk(writer.reader.metadataKey(ofClass: keyClass.rawValue)) {
            do throws(Setback) {
                return try unwrap(wrapped, keyClass, .metadata)
            } catch .key(.damaged) where keyClass == .whenPasscodeSetThisDeviceOnly {
                guard try !itemKeysOfPasscodeOpen(writer.reader) else { throw .key(.damaged) }
                try endFormer()
            }
        }
        // Not kept in the cache yet: the transaction may still fail.
        let made = try create(keyClass, .metadata)
        try onDisk(writer.setMetadataKey(made.wrapped, ofClass: keyClass.rawValue))
        return made.key
    }

    /// The key of the search tokens; exists as long as the device.
    func searchKey() throws(Setback) -> SecretBox {
        if let key = cached({ $0.search }) { return key }
        let epoch = enclave.keyEpoch
        let key: SecretBox
        if let wrapped = try store.read({ try $0.deviceKey(named: Self.searchKeyName) }) {
            key = try unwrap(wrapped, .alwaysThisDeviceOnly, .search)
        } else {
            key = try makeSearchKey()
        }
        keep(epoch) { $0.search = key }
        return key
    }

    /// Another process may make it at the same time: the transaction decides whose it is.
    private func makeSearchKey() throws(Setback) -> SecretBox {
        let made = try create(.alwaysThisDeviceOnly, .search)
        let wrapped = try store.write { writer in
            if let other = try writer.reader.deviceKey(named: Self.searchKeyName) { return other }
            try writer.setDeviceKey(made.wrapped, named: Self.searchKeyName)
            return made.wrapped
        }
        return wrapped == made.wrapped ? made.key : try unwrap(wrapped, .alwaysThisDeviceOnly, .search)
    }

    private func unwrap(_ wrapped: [UInt8], _ keyClass: KeyClass, _ use: KeyUse) throws(Setback) -> SecretBox {
        let question = WrappedKey(keyClass: keyClass, use: use, binding: [], bytes: wrapped)
        switch try enclave.unwrap(question) {
        case .key(let key): return key
        case .refused(let refusal): throw .key(refusal)
        }
    }

    private func create(_ keyClass: KeyClass, _ use: KeyUse) throws(Setback) -> (key: SecretBox, wrapped: [UInt8]) {
        let made = try enclave.answer(to: CreateKey(keyClass, use)).made()
        return (made.key, made.wrapped)
    }

    private func cached(_ look: (Cache) -> SecretBox?) -> SecretBox? {
        let epoch = enclave.keyEpoch
        return cache.withLock { cache in
            if cache.epoch != epoch { cache = Cache(epoch: epoch) }
            return look(cache)
        }
    }

    /// Keeps a key only if it belongs to the epoch it was asked for in.
    private func keep(_ epoch: UInt64, _ change: (inout Cache) -> Void) {
        cache.withLock { if $0.epoch == epoch { change(&$0) } }
    }
}

extension EnclaveMailbox {
    /// What becomes of one key.
    func unwrap(_ key: WrappedKey, context: ContextIdentifier? = nil) throws(Setback) -> KeyOutcome {
        try unwrap([key], context: context)[0]
    }

    /// What becomes of each key. At most ``EnclaveLimits/keysPerBatch``.
    func unwrap(_ keys: [WrappedKey], context: ContextIdentifier? = nil) throws(Setback) -> [KeyOutcome] {
        try answer(to: UnwrapKeys(keys, context: context))
    }

    /// The answer to a question; a refusal as the failure that a call ends with.
    @discardableResult
    func answer<Question: EnclaveQuestion>(to question: Question) throws(Setback) -> Question.Answer {
        do throws(EnclaveRefusal) {
            return try ask(question)
        } catch {
            throw .call(.enclave(error))
        }
    }
}
