package import LatchkeyEnclaveContract
internal import LatchkeyKeybag
package import LatchkeySecretMemory
package import LatchkeySyncCore
package import LatchkeySyncKeys

/// The wrapping of a keyring's secrets by the enclave: those of zone A under `aku`, the others under `cku`.
package struct EnclaveKeyringWrapping: KeyringWrapping {
    private let enclave: any EnclaveMailbox

    package init(_ enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    package func wrap(
        _ secret: SecretBox, of subject: KeyringSubject, in circle: CircleIdentifier
    ) throws(SyncKeyFailure) -> [UInt8] {
        let question = WrapSyncKey(secret, under: subject.keyClass, binding: subject.binding(in: circle))
        switch try enclave.answer(to: question) {
        case .success(let wrapped): return wrapped.bytes
        case .failure(let refusal): throw SyncKeyFailure(refusal)
        }
    }

    package func unwrap(
        _ entries: [StoredKeyringEntry], in circle: CircleIdentifier
    ) throws(SyncKeyFailure) -> [Result<SecretBox, SyncKeyFailure>] {
        var results: [Result<SecretBox, SyncKeyFailure>] = []
        var rest = entries[...]
        while !rest.isEmpty {
            let batch = rest.prefix(EnclaveLimits.keysPerBatch)
            rest = rest.dropFirst(batch.count)
            let keys = batch.map { entry in
                WrappedKey(
                    keyClass: entry.subject.keyClass, use: .sync, binding: entry.subject.binding(in: circle),
                    bytes: entry.wrapped)
            }
            for outcome in try enclave.answer(to: UnwrapKeys(keys)) {
                switch outcome {
                case .key(let secret): results.append(.success(secret))
                case .refused(let refusal): results.append(.failure(SyncKeyFailure(refusal)))
                }
            }
        }
        return results
    }
}

extension KeyringSubject {
    fileprivate var keyClass: KeyClass {
        switch zone {
        case .a: .whenUnlockedThisDeviceOnly
        case .c: .afterFirstUnlockThisDeviceOnly
        }
    }
}
