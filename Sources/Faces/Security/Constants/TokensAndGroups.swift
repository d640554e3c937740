// Tokens, reserved access groups, and the value that finds synchronizable items and others alike.
//
// All are immutable objects, so sharing them is safe.
public import Foundation

nonisolated(unsafe) public let kSecAttrAccessGroupToken: CFString = "com.apple.token"
nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"
nonisolated(unsafe) public let kSecAttrTokenIDAppleKeyStore: CFString = "com.apple.setoken:aks"
nonisolated(unsafe) public let kSecAttrTokenIDSecureElement: CFString = "com.apple.secelemtoken"
nonisolated(unsafe) public let kSOSInternalAccessGroup: CFString = "com.apple.security.sos"
nonisolated(unsafe) public let kSecAttrSharingGroupNone: CFString = ""
