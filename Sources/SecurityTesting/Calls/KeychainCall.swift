import KeychainMessages

/// The four calls of the keychain, and the two that ask a person without an item.
public enum KeychainCall: String, Sendable, Hashable, CaseIterable {
    case add = "SecItemAdd"
    case copyMatching = "SecItemCopyMatching"
    case update = "SecItemUpdate"
    case delete = "SecItemDelete"
    case evaluatePolicy = "LAContext.evaluatePolicy"
    case evaluateAccessControl = "LAContext.evaluateAccessControl"

    init(_ operation: ItemOperation) {
        self =
            switch operation {
            case .add: .add
            case .find: .copyMatching
            case .update: .update
            case .delete: .delete
            }
    }

    /// Nil for what asks nobody.
    init?(_ request: AuthenticationRequest) {
        switch request {
        case .evaluate: self = .evaluatePolicy
        case .evaluateAccessControl: self = .evaluateAccessControl
        case .check, .setApplicationPassword, .setPasscode, .biometry: return nil
        }
    }
}
