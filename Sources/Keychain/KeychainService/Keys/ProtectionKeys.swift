import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// The keys that the service itself holds while their class is available: metadata keys and the search key.
///
/// Class keys wrap them. They are fetched from the enclave when first needed, and a new key epoch drops them all.
final class ProtectionKeys: Sendable {
    private struct Cache {
        var epoch: UInt64
        var metadata: [KeyClass: SecretBox] = [:]
        var search: SecretBox?
    }

    private static let searchKeyName = "search"

    private let enclave: any EnclaveMailbox
    private let store: ItemStore
    private let cache: ForkMutex<Cache>

    init(enclave: any EnclaveMailbox, store: ItemStore) {
        self.enclave = enclave
        self.store = store
        cache = ForkMutex(Cache(epoch: enclave.keyEpoch))
    }

    /// Wipes the keys of earlier epochs. The owner calls it after keys were loaded or removed, so that none stays in
    /// memory.
    func dropOutdated() {
        let epoch = enclave.keyEpoch
        cache.withLock { if $0.epoch != epoch { $0 = Cache(epoch: epoch) } }
    }

    /// Returns the metadata key for opening rows of a class. If a class has none, its rows cannot be opened.
    /// - Parameter transaction: the reader of the transaction in which the row was read; another writer of the same
    ///   commit may have made the key.
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

    /// Returns the metadata key of "when passcode set". If it does not open under the class key, it belongs to a former
    /// passcode, whose class key is gone for ever. The transaction may already have a new one.
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
                    try store.readTogether(itemKeysOfPasscodeOpen)
                }
            throw .key(isDamage ? .damaged : .classKeyMissing)
        }
    }

    /// Returns true if an item key of "when passcode set" opens. In this case, a metadata key of the class that does
    /// not open is damaged, and does not belong to a former passcode. Item keys of rows with conditions do not open
    /// here. If there are no others, damage cannot be distinguished from a former passcode.
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

    /// Returns the metadata key of the last commit. Only such a key is cached: a key of a transaction that fails in the
    /// end would seal rows that cannot be opened after a restart.
    private func committedMetadataKey(_ keyClass: KeyClass) throws(Setback) -> SecretBox? {
        if let key = cached({ $0.metadata[keyClass] }) { return key }
        let epoch = enclave.keyEpoch
        guard let wrapped = try store.read({ try $0.metadataKey(ofClass: keyClass.rawValue) }) else { return nil }
        let key = try unwrap(wrapped, keyClass, .metadata)
        keep(epoch) { $0.metadata[keyClass] = key }
        return key
    }

    /// Returns the metadata key of a class if it is cached: then a row can be sealed before its transaction begins.
    func metadataKeyAtHand(_ keyClass: KeyClass) -> SecretBox? {
        cached { $0.metadata[keyClass] }
    }

    /// Returns the metadata key for storing rows of a class. Makes it with the first row, inside the row's transaction.
    /// - Parameter endFormer: ends the rows of "when passcode set" that belong to a former passcode, and deletes their
    ///   metadata key: after a new one is stored they could not be distinguished from damaged rows.
    func metadataKey(
        toWrite keyClass: KeyClass, in writer: ItemWriter, endFormer: () throws(Setback) -> Void
    ) throws(Setback) -> SecretBox {
        // Another process may have replaced the key of "when passcode set" since the last commit that this process has
        // seen.
        if keyClass != .whenPasscodeSetThisDeviceOnly, let key = try committedMetadataKey(keyClass) { return key }
        if let wrapped = try onDisk(writer.reader.metadataKey(ofClass: keyClass.rawValue)) {
            do throws(Setback) {
                return try unwrap(wrapped, keyClass, .metadata)
            } catch .key(.damaged) where keyClass == .whenPasscodeSetThisDeviceOnly {
                guard try !itemKeysOfPasscodeOpen(writer.reader) else { throw .key(.damaged) }
                try endFormer()
            }
        }
        // Not cached yet: the transaction may still fail.
        let made = try create(keyClass, .metadata)
        try onDisk(writer.setMetadataKey(made.wrapped, ofClass: keyClass.rawValue))
        return made.key
    }

    /// Returns the key of the search tokens. It exists as long as the device.
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

    /// Makes the search key. Another process may do this at the same time: the transaction decides which key stays.
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

    /// Caches a key only if it belongs to the epoch in which it was requested.
    private func keep(_ epoch: UInt64, _ change: (inout Cache) -> Void) {
        cache.withLock { if $0.epoch == epoch { change(&$0) } }
    }
}

extension EnclaveMailbox {
    /// Returns the outcome for one key.
    func unwrap(_ key: WrappedKey, context: ContextIdentifier? = nil) throws(Setback) -> KeyOutcome {
        try unwrap([key], context: context)[0]
    }

    /// Returns the outcome for each key. At most ``EnclaveLimits/keysPerBatch``.
    func unwrap(_ keys: [WrappedKey], context: ContextIdentifier? = nil) throws(Setback) -> [KeyOutcome] {
        try answer(to: UnwrapKeys(keys, context: context))
    }

    /// Returns the answer to a question. Throws a refusal as the failure of the call.
    @discardableResult
    func answer<Question: EnclaveQuestion>(to question: Question) throws(Setback) -> Question.Answer {
        do throws(EnclaveRefusal) {
            return try ask(question)
        } catch {
            throw .call(.enclave(error))
        }
    }
}
