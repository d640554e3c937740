package import LatchkeyCryptoSuite
internal import LatchkeySecretMemory

/// The names of an invitation and of its request in the store, and the keys that authenticate them, all from one code.
package struct InvitationKeys: Sendable {
    /// The length of the name of an invitation, or of a request.
    package static let nameByteCount = 16

    /// The name of the invitation in the store. It is not secret.
    package let invitationName: [UInt8]
    /// The name of the request to join. It is not secret.
    package let requestName: [UInt8]
    /// Authenticates what the member writes.
    package let member: InvitationCodeKey
    /// Authenticates what the joining device writes.
    package let joiner: InvitationCodeKey
    private let sealKey: SecretBox

    package init(_ code: InvitationCode) {
        func name(_ purpose: SyncPurpose) -> [UInt8] {
            unsafe code.derived(SyncInfo(purpose), count: Self.nameByteCount).withBytes { unsafe Array($0) }
        }
        func key(_ purpose: SyncPurpose) -> SecretBox {
            code.derived(SyncInfo(purpose), count: SecretBox.keyByteCount)
        }
        invitationName = name(.invitation)
        requestName = name(.request)
        member = InvitationCodeKey(key(.member))
        joiner = InvitationCodeKey(key(.joiner))
        sealKey = key(.seal)
    }

    /// Seals the description of the joining device, for the member that approves it.
    package func sealed(_ description: DeviceDescription, entropy: some Entropy) -> [UInt8] {
        description.sealed(with: sealKey, entropy: entropy)
    }

    /// Opens the description of the joining device. Returns nil if it was sealed with another code, or altered.
    package func opened(_ sealed: [UInt8]) -> DeviceDescription? {
        DeviceDescription(opening: sealed, with: sealKey)
    }
}

/// A key of HMAC-SHA256 that is derived from an invitation code.
package struct InvitationCodeKey: Sendable {
    private let key: SecretBox

    fileprivate init(_ key: SecretBox) {
        self.key = key
    }

    /// Computes the code over an object.
    package func code(over bytes: [UInt8]) -> [UInt8] { HMACSHA256.code(over: bytes, key: key) }

    /// Compares a code in constant time.
    package func isCode(_ code: [UInt8], over bytes: [UInt8]) -> Bool {
        HMACSHA256.isCode(code, over: bytes, key: key)
    }
}
