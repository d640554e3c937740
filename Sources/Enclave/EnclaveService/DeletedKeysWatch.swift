import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyThreading

/// The deleted enclave keys, whether this process or another one on the same storage deleted them.
final class DeletedKeysWatch: Sendable {
    private struct Known {
        var keys: DeletedKeys
        /// The version of the stored list.
        var generation: StorageGeneration?
    }

    private let storage: any EnclaveStorage
    private let known: ForkMutex<Known>

    init(storage: any EnclaveStorage) throws(StorageFailure) {
        self.storage = storage
        // Read before the list: if the list is replaced meanwhile, the only effect is another read.
        let generation = storage.deletedKeysGeneration()
        known = ForkMutex(Known(keys: try storage.deletedKeys(), generation: generation))
    }

    /// Throws if the list cannot be read.
    func contains(_ identifier: EnclaveKeyIdentifier) throws(StorageFailure) -> Bool {
        let generation = storage.deletedKeysGeneration()
        return try known.withLock { known throws(StorageFailure) in
            if known.generation != generation {
                known = Known(keys: try storage.deletedKeys(), generation: generation)
            }
            return known.keys.contains(identifier)
        }
    }

    /// Adds identifiers. They are on disk when this returns. Waits for the passcode operations of all processes.
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
