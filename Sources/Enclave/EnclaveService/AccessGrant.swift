import LatchkeyEnclaveCore
import LatchkeySecretMemory

/// The right to use one key once. ``Permissions`` issues a grant after it has judged the rule, and keys can be
/// unwrapped only with a grant: `Scripts/check` refuses any other call.
struct AccessGrant: ~Copyable {
    /// Unwraps the inner layer, if there is one.
    private let passwordKey: SecretBox?

    /// To be called only by ``Permissions``, after a judgement.
    init(judgedWith passwordKey: SecretBox?) {
        self.passwordKey = passwordKey
    }

    consuming func open(_ wrapped: WrappedKey, with classKey: SecretBox) -> KeyOutcome {
        KeyWrapping.unwrap(wrapped, with: classKey, passwordKey: passwordKey)
    }

    /// Unwraps the private number or seed of an enclave key.
    consuming func open(_ blob: EnclaveKeyBlob, with classKey: SecretBox, deviceKey: SecretBox) -> KeyOutcome {
        blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: passwordKey)
    }

    /// Returns a key that an earlier grant has unwrapped.
    consuming func release(_ key: OpenKey) -> OpenKey { key }
}
