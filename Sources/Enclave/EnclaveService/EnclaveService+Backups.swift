import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization

/// Class keys of backups. The daemon keeps them wrapped, and gets keys of single files and items.
extension EnclaveService {
    package func answer(
        _ question: MakeBackupKeybag
    ) throws(EnclaveRefusal) -> Result<MadeBackupKeybag, KeyRefusal> {
        guard question.passcodeKey.count == EnclaveLimits.keyByteCount else {
            throw .malformed(reason: "the key of a backup's password has \(EnclaveLimits.keyByteCount) bytes")
        }
        let made = BackupClassKeys.made(
            question.parameters, passcodeKey: question.passcodeKey, isEncrypted: question.isEncrypted,
            on: storage.hardwareKey,
            entropy: entropy)
        return sealed(made.keys, under: nil).map { MadeBackupKeybag(keybag: made.keybag.bytes, keys: $0) }
    }

    package func answer(_ question: OpenBackupKeybag) throws(EnclaveRefusal) -> OpenedBackupKeybag {
        guard question.passcodeKey.count == EnclaveLimits.keyByteCount else {
            throw .malformed(reason: "the key of a backup's password has \(EnclaveLimits.keyByteCount) bytes")
        }
        guard let keybag = try? Keybag(parsing: question.keybag), keybag.header.kind == .backup else {
            return .refused(.damaged)
        }
        do throws(KeybagUnlockFailure) {
            let keys = try BackupClassKeys.opened(
                keybag, passcodeKey: question.passcodeKey, on: storage.hardwareKey)
            switch sealed(keys, under: question.context) {
            case .success(let keys): return .keys(keys)
            case .failure(let refusal): return .refused(refusal)
            }
        } catch .wrongPasscode {
            return .wrongPassword
        } catch {
            return .refused(.damaged)
        }
    }

    package func answer(_ question: CreateBackupKeys) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        guard (1...EnclaveLimits.keysPerBatch).contains(question.classNumbers.count) else {
            throw .malformed(
                reason: "1 to \(EnclaveLimits.keysPerBatch) keys at once, not \(question.classNumbers.count)")
        }
        var classKeys = OpenedBackupKeys(question.keys, under: question.context, in: self)
        var made: [CreatedKey] = []
        for number in question.classNumbers {
            switch classKeys[number] {
            case .refused(let refusal): return .failure(refusal)
            case .key(let classKey):
                let key = unsafe SecretBox(count: EnclaveLimits.keyByteCount) { unsafe entropy.fill($0) }
                made.append(CreatedKey(key: key, wrapped: AESKeyWrap.wrap(key, with: classKey)))
            }
        }
        return .success(made)
    }

    package func answer(_ question: UnwrapBackupKeys) throws(EnclaveRefusal) -> [KeyOutcome] {
        guard question.wrapped.count <= EnclaveLimits.keysPerBatch else {
            throw .malformed(
                reason: "at most \(EnclaveLimits.keysPerBatch) keys at once, not \(question.wrapped.count)")
        }
        var classKeys = OpenedBackupKeys(question.keys, under: question.context, in: self)
        return question.wrapped.map { classKeys.open($0) }
    }

    private func sealed(
        _ keys: BackupClassKeys, under context: ContextIdentifier?
    ) -> Result<SealedBackupKeys, KeyRefusal> {
        let (deviceKeys, keybag) = loadedKeys(under: context)
        guard let wrappingKey = deviceKeys[SealedBackupKeys.wrappingClass] else {
            return .failure(Self.refusal(for: SealedBackupKeys.wrappingClass, in: keybag))
        }
        do throws(CryptoFailure) {
            var sealed: [SealedBackupKeys.Key] = []
            for (number, key) in keys.keys.sorted(by: { $0.key < $1.key }) {
                let bytes = try KeyWrapping.wrap(
                    key, with: .classKey(wrappingKey), use: .backup, binding: keys.keybag + [number],
                    entropy: entropy)
                sealed.append(SealedBackupKeys.Key(classNumber: number, bytes: bytes))
            }
            return .success(SealedBackupKeys(keybag: keys.keybag, keys: sealed))
        } catch {
            return .failure(.damaged)
        }
    }

    /// The class keys that a request needs, each opened once.
    private struct OpenedBackupKeys {
        private let sealed: SealedBackupKeys
        private let wrappingKey: KeyOutcome
        private var permissions: Permissions
        private var opened: [UInt8: KeyOutcome] = [:]

        init(_ sealed: SealedBackupKeys, under context: ContextIdentifier?, in enclave: EnclaveService) {
            self.sealed = sealed
            permissions = Permissions(for: .decrypt, of: nil, in: enclave)
            let (keys, keybag) = enclave.loadedKeys(under: context)
            wrappingKey =
                keys[SealedBackupKeys.wrappingClass].map { .key($0) }
                ?? .refused(EnclaveService.refusal(for: SealedBackupKeys.wrappingClass, in: keybag))
        }

        /// Unwraps the key of a file or item.
        mutating func open(_ key: UnwrapBackupKeys.Key) -> KeyOutcome {
            let outcome = self[key.classNumber]
            guard case .key(let classKey) = outcome, let wrapped = sealed[key.classNumber] else { return outcome }
            switch permissions.permission(for: key, ofClass: wrapped) {
            case .granted(let grant): return grant.open(with: classKey)
            case .refused(let refusal): return .refused(refusal)
            }
        }

        subscript(number: UInt8) -> KeyOutcome {
            mutating get {
                if let known = opened[number] { return known }
                let outcome: KeyOutcome
                switch (wrappingKey, sealed[number]) {
                case (.refused(let refusal), _): outcome = .refused(refusal)
                case (.key, nil): outcome = .refused(.classKeyMissing)
                case (.key(let key), let wrapped?):
                    switch permissions.permission(for: wrapped) {
                    case .granted(let grant): outcome = grant.open(with: key)
                    case .refused(let refusal): outcome = .refused(refusal)
                    }
                }
                opened[number] = outcome
                return outcome
            }
        }
    }
}
