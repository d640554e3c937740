// The keys of a query other than attributes, and their special values: what is returned, given, matched and used.
//
// All are immutable objects, so sharing them is safe.

// MARK: Results, values and limits

public import Foundation
import LatchkeyItemModel

nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"
nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"
nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"

// MARK: Matching

nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"
nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

// MARK: Ways of working

@available(*, deprecated, message: "Lists of items exist in the file keychain of macOS alone.")
nonisolated(unsafe) public let kSecUseItemList: CFString = unsafe DeprecatedConstants.useItemList
nonisolated(unsafe) public let kSecUseTombstones: CFString = "u_Tomb"
nonisolated(unsafe) public let kSecUseCredentialReference: CFString = "u_CredRef"
@available(*, deprecated, message: "Use kSecUseAuthenticationContext, and set localizedReason of its LAContext.")
nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = unsafe DeprecatedConstants.useOperationPrompt
@available(*, deprecated, message: "Use kSecUseAuthenticationContext, and set interactionNotAllowed of its LAContext.")
nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = unsafe DeprecatedConstants.useNoAuthenticationUI
nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
nonisolated(unsafe) public let kSecUseSystemKeychainAlways: CFString = "u_SystemKeychainAlways"
nonisolated(unsafe) public let kSecUseSystemKeychainAlwaysDarwinOSOnlyUnavailableOnMacOS: CFString =
    "u_SystemKeychainAlways"
nonisolated(unsafe) public let kSecUseSystemKeychain: CFString = "u_SystemKeychain"
nonisolated(unsafe) public let kSecUseSyncBubbleKeychain: CFString = "u_SyncBubbleKeychain"
nonisolated(unsafe) public let kSecUseCallerName: CFString = "u_CallerName"
nonisolated(unsafe) public let kSecUseTokenRawItems: CFString = "u_TokenRawItems"
nonisolated(unsafe) public let kSecUseCertificatesWithMatchIssuers: CFString = "u_CertWithIssuers"
nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = .name(.noLegacy)
nonisolated(unsafe) public let kSecUseUserIndependentKeychain: CFString = "u_UserIndependentKeychain"
@available(
    *, deprecated, message: "Use kSecUseAuthenticationContext, and leave interactionNotAllowed of its LAContext false."
)
nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString =
    unsafe DeprecatedConstants.useAuthenticationUIAllow
@available(*, deprecated, message: "Use kSecUseAuthenticationContext, and set interactionNotAllowed of its LAContext.")
nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString =
    unsafe DeprecatedConstants.useAuthenticationUIFail
nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
nonisolated(unsafe) public let kSecUseKeychain: CFString = "u_Keychain"
nonisolated(unsafe) public let kSecUseKeychainList: CFString = "u_KeychainList"
