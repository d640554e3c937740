import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeySecretMemory

/// The right to use one key once. ``Permissions`` issues it for the key whose rule it has judged. `Scripts/check` refuses
/// a call that unwraps a key without a grant.
struct AccessGrant<Key: Sendable>: ~Copyable {
    private let key: Key
    /// Unwraps the inner layer, if there is one.
    private let passwordKey: SecretBox?

    /// To be called only by ``Permissions``, after a judgement of the key's rule.
    init(judged key: Key, passwordKey: SecretBox?) {
        self.key = key
        self.passwordKey = passwordKey
    }
}

extension AccessGrant where Key == WrappedKey {
    consuming func open(with classKey: SecretBox) -> KeyOutcome {
        KeyWrapping.unwrap(key, with: classKey, passwordKey: passwordKey)
    }
}

extension AccessGrant where Key == UnwrapBackupKeys.Key {
    /// - Parameter classKey: the class key of the backup.
    consuming func open(with classKey: SecretBox) -> KeyOutcome {
        guard let opened = try? AESKeyWrap.unwrap(key.bytes, with: classKey),
            opened.count == EnclaveLimits.keyByteCount
        else { return .refused(.damaged) }
        return .key(opened)
    }
}

extension AccessGrant where Key == EnclaveKeyBlob {
    /// Unwraps the private number or seed.
    consuming func open(with classKey: SecretBox, deviceKey: SecretBox) -> KeyOutcome {
        key.secret(with: classKey, deviceKey: deviceKey, passwordKey: passwordKey)
    }

    /// Returns the key that an earlier grant for the same blob has unwrapped.
    consuming func release(_ opened: OpenedKeys.Opened) -> OpenEnclaveKey { opened.key }
}
