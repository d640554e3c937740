import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// The four calls of the keychain, the two that prompt the user without an item, and those that need an enclave key.
public enum KeychainCall: String, Sendable, Hashable, CaseIterable {
    case add = "SecItemAdd"
    case copyMatching = "SecItemCopyMatching"
    case update = "SecItemUpdate"
    case delete = "SecItemDelete"
    case evaluatePolicy = "LAContext.evaluatePolicy"
    case evaluateAccessControl = "LAContext.evaluateAccessControl"
    /// Of a key in the enclave.
    case createRandomKey = "SecKeyCreateRandomKey"
    /// With a key of the enclave.
    case createSignature = "SecKeyCreateSignature"
    /// With a key of the enclave; `SecKeyCreateDecryptedData` agrees on a key, too.
    case copyKeyExchangeResult = "SecKeyCopyKeyExchangeResult"

    init(_ operation: ItemOperation) {
        self =
            switch operation {
            case .add: .add
            case .find: .copyMatching
            case .update: .update
            case .delete: .delete
            }
    }

    /// Nil for what only looks.
    init?(_ purpose: KeyPurpose) {
        switch purpose {
        case .creation: self = .createRandomKey
        case .signature: self = .createSignature
        case .sharedSecret: self = .copyKeyExchangeResult
        case .description: return nil
        }
    }

    /// An evaluation without an item.
    init(_ demand: AuthenticationDemand) {
        self =
            switch demand {
            case .policy: .evaluatePolicy
            case .accessControl: .evaluateAccessControl
            }
    }
}
