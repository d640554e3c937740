import KeychainMessages

/// The four calls of the keychain.
public enum KeychainCall: String, Sendable, Hashable, CaseIterable {
    case add = "SecItemAdd"
    case copyMatching = "SecItemCopyMatching"
    case update = "SecItemUpdate"
    case delete = "SecItemDelete"

    init(_ operation: ItemOperation) {
        self =
            switch operation {
            case .add: .add
            case .find: .copyMatching
            case .update: .update
            case .delete: .delete
            }
    }
}
