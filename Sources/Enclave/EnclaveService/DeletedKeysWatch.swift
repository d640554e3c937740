import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import Synchronization

/// Knows which of the enclave's keys were deleted, by this process or by another on the same storage.
final class DeletedKeysWatch: Sendable {
    private struct Known {
        var keys: DeletedKeys
        /// Which stored list it is.
        var generation: StorageGeneration?
    }

    private let storage: any EnclaveStorage
    private let known: Mutex<Known>

    init(storage: any EnclaveStorage) throws(StorageFailure) {
        self.storage = storage
        // Looked at first: if the list is replaced meanwhile, it is only read once more.
        let generation = storage.deletedKeysGeneration()
        known = Mutex(Known(keys: try storage.deletedKeys(), generation: generation))
    }

    /// Throws where it cannot be told.
    func contains(_ identifier: EnclaveKeyIdentifier) throws(StorageFailure) -> Bool {
        let generation = storage.deletedKeysGeneration()
        return try known.withLock { known throws(StorageFailure) in
            if known.generation != generation {
                known = Known(keys: try storage.deletedKeys(), generation: generation)
            }
            return known.keys.contains(identifier)
        }
    }

    /// Durable on return. Waits for the passcode operations of all processes.
    func add(_ identifiers: Set<EnclaveKeyIdentifier>) throws(StorageFailure) {
        let lock = try storage.acquire()
        defer { lock.release() }
        let stored = try storage.deletedKeys()
        guard let more = stored.adding(identifiers) else { throw .tooManyDeletedKeys(limit: DeletedKeys.limit) }
        guard more != stored else { return }
        try storage.replaceDeletedKeys(more)
        let generation = storage.deletedKeysGeneration()
        known.withLock { $0 = Known(keys: more, generation: generation) }
    }
}
