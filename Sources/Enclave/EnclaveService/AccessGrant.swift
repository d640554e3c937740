import LatchkeyEnclaveCore
import LatchkeySecretMemory

/// The right to open one key once. ``Permissions`` mints it where a rule was judged, and only a grant opens a key:
/// `Scripts/check` refuses a call past it.
struct AccessGrant: ~Copyable {
    /// Opens the inner layer, where there is one.
    private let passwordKey: SecretBox?

    /// For ``Permissions`` alone, behind a judgement.
    init(judgedWith passwordKey: SecretBox?) {
        self.passwordKey = passwordKey
    }

    consuming func open(_ wrapped: WrappedKey, with classKey: SecretBox) -> KeyOutcome {
        KeyWrapping.unwrap(wrapped, with: classKey, passwordKey: passwordKey)
    }

    /// The number or seed of a key of the enclave.
    consuming func open(_ blob: EnclaveKeyBlob, with classKey: SecretBox, deviceKey: SecretBox) -> KeyOutcome {
        blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: passwordKey)
    }

    /// A key that an earlier grant has opened.
    consuming func release(_ key: OpenKey) -> OpenKey { key }
}
