import Foundation
import Security

/// The keychain's names for a lockbox's attributes, as texts: the constants are objects, which cannot be shared between
/// threads without saying why that is safe. They are immutable.
enum ItemName {
    static let itemClass = unsafe kSecClass as String
    static let genericPassword = unsafe kSecClassGenericPassword as String
    static let service = unsafe kSecAttrService as String
    static let account = unsafe kSecAttrAccount as String
    static let accessGroup = unsafe kSecAttrAccessGroup as String
    static let synchronizable = unsafe kSecAttrSynchronizable as String
    static let accessible = unsafe kSecAttrAccessible as String
    static let whenUnlocked = unsafe kSecAttrAccessibleWhenUnlocked as String
    static let accessControl = unsafe kSecAttrAccessControl as String
    static let creator = unsafe kSecAttrCreator as String
    static let type = unsafe kSecAttrType as String
    static let data = unsafe kSecValueData as String
    static let returnData = unsafe kSecReturnData as String
    static let returnAttributes = unsafe kSecReturnAttributes as String
    static let matchLimit = unsafe kSecMatchLimit as String
    static let one = unsafe kSecMatchLimitOne as String
    static let all = unsafe kSecMatchLimitAll as String
    static let prompt = unsafe DeprecatedConstants.useOperationPrompt as String
    static let context = unsafe kSecUseAuthenticationContext as String
    static let authenticationUI = unsafe kSecUseAuthenticationUI as String
    static let authenticationUIFail = unsafe DeprecatedConstants.useAuthenticationUIFail as String
    static let authenticationUISkip = unsafe kSecUseAuthenticationUISkip as String
}
