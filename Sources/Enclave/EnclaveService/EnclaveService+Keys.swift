import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    package func answer(_ question: CreateKey) throws(EnclaveRefusal) -> Result<CreatedKey, KeyRefusal> {
        let keys = CreateKeys(
            question.keyClass, question.use, binding: question.binding, count: 1, context: question.context)
        return try answer(keys).map { $0[0] }
    }

    package func answer(_ question: CreateKeys) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        let (keyClass, use, binding) = (question.keyClass, question.use, question.binding)
        guard (1...EnclaveLimits.keysPerBatch).contains(question.count) else {
            throw .malformed(reason: "1 to \(EnclaveLimits.keysPerBatch) keys at once, not \(question.count)")
        }
        try Self.check(keyClass, use, binding)
        guard use != .file else { throw .malformed(reason: "keys of files are made by a request of their own") }
        guard use != .sync else { throw .malformed(reason: "secrets of a circle are wrapped, not made") }
        let (keys, keybag) = loadedKeys(under: question.context)
        guard let classKey = keys[keyClass] else { return .failure(Self.refusal(for: keyClass, in: keybag)) }
        var passwordKey: SecretBox?
        switch rules.rule(of: binding, use: use, keyClass: keyClass) {
        case .none: break
        case .guarded(let control) where control.isBound:
            guard control.needsApplicationPassword else { break }
            passwordKey = question.context.flatMap { contextState(of: $0) }?.passwordKey
            if passwordKey == nil { return .failure(.authenticationNeeded) }
        case .guarded, .unreadable:
            throw .malformed(reason: "the binding of an item's key is a bound access control of its class")
        }
        let bindings = repeatElement(binding, count: question.count)
        return newKeys(for: use, bindings: bindings, with: .classKey(classKey), passwordKey: passwordKey)
    }

    /// Returns a new random key for each binding.
    func newKeys(
        for use: KeyUse, bindings: some Sequence<[UInt8]>, with wrappingKey: KeyWrapping.WrappingKey,
        passwordKey: SecretBox? = nil
    ) -> Result<[CreatedKey], KeyRefusal> {
        do throws(CryptoFailure) {
            var made: [CreatedKey] = []
            for binding in bindings {
                let key = unsafe SecretBox(count: KeyWrapping.keyByteCount) { unsafe entropy.fill($0) }
                let wrapped = try KeyWrapping.wrap(
                    key, with: wrappingKey, use: use, binding: binding, passwordKey: passwordKey, entropy: entropy)
                made.append(CreatedKey(key: key, wrapped: wrapped))
            }
            return .success(made)
        } catch {
            // The key agreement fails only for an invalid public key.
            return .failure(.damaged)
        }
    }

    package func answer(_ question: UnwrapKeys) throws(EnclaveRefusal) -> [KeyOutcome] {
        let wrapped = question.keys
        guard wrapped.count <= EnclaveLimits.keysPerBatch else {
            throw .malformed(reason: "at most \(EnclaveLimits.keysPerBatch) keys at once, not \(wrapped.count)")
        }
        for wrapped in wrapped { try Self.check(wrapped.keyClass, wrapped.use, wrapped.binding) }
        let (keys, keybag) = loadedKeys(under: question.context)
        var permissions = Permissions(for: .decrypt, of: question.context, in: self)
        let outcomes = wrapped.map { wrapped -> KeyOutcome in
            guard let classKey = keys[wrapped.keyClass] else {
                return .refused(Self.refusal(for: wrapped.keyClass, in: keybag))
            }
            switch permissions.permission(for: wrapped) {
            case .granted(let grant):
                return grant.open(with: classKey)
            case .refused(let refusal):
                // An altered rule is damage, not missing evidence.
                guard KeyWrapping.isGenuine(wrapped, with: classKey) else { return .refused(.damaged) }
                return .refused(refusal)
            }
        }
        if zip(wrapped, outcomes).contains(where: { $0.isProtectedByLock && $1.isOpen }) {
            noteUse(under: keybag.settings)
        }
        return outcomes
    }

    /// Restarts the idle time after a program has used a key that a lock protects.
    func noteUse(under settings: DeviceSettings) {
        guard settings.lockAfterSeconds != nil else { return }
        let uptime = clock.uptime()
        state.withLock { $0.wasUsed(uptime: uptime) }
    }

    static func refusal(for keyClass: KeyClass, in keybag: SystemKeybag) -> KeyRefusal {
        keybag.keybag.classKey(keyClass) == nil ? .classKeyMissing : .locked
    }

    /// Refuses a class and a binding that no key of this use has.
    static func check(_ keyClass: KeyClass, _ use: KeyUse, _ binding: [UInt8]) throws(EnclaveRefusal) {
        guard binding.count <= EnclaveLimits.bindingByteCount else {
            throw .malformed(
                reason: "a binding has at most \(EnclaveLimits.bindingByteCount) bytes, not \(binding.count)")
        }
        // Keys for this use are never given out.
        guard use != .signing, use != .backup, use != .escrow else {
            throw .malformed(reason: "the enclave's own keys are made and used by requests of their own")
        }
        guard (use == .file) == (keyClass.fileProtection != nil) else {
            throw .malformed(reason: "the keys of files have the classes of files, all other keys have other classes")
        }
        guard use != .sync || KeyUse.syncClasses.contains(keyClass) else {
            throw .malformed(reason: "the secrets of a circle have the classes aku and cku")
        }
        guard use != .sync || binding.count == EnclaveLimits.syncBindingByteCount else {
            let expected = EnclaveLimits.syncBindingByteCount
            throw .malformed(reason: "the binding of a circle's secret has \(expected) bytes, not \(binding.count)")
        }
        guard use != .file || binding.count == FileIdentifier.byteCount else {
            throw .malformed(
                reason: "the binding of a file's key has \(FileIdentifier.byteCount) bytes, not \(binding.count)")
        }
    }
}

extension WrappedKey {
    /// True for a key of an item that is inaccessible while the device is locked: its use counts as a use of the device.
    ///
    /// The use of a file's key does not count. On iOS the time until locking restarts when a person touches the device,
    /// never when a file is read. An item is a fair sign of a person, who logs in somewhere; files are read all the time
    /// by programs in the background, such as indexers and backups, and a device that they keep unlocked would
    /// never lock.
    fileprivate var isProtectedByLock: Bool { use == .item && keyClass.availability == .onlyWhileUnlocked }
}

extension KeyOutcome {
    fileprivate var isOpen: Bool {
        if case .key = self { true } else { false }
    }
}
