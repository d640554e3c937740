// Keys for making keys and passwords.
//
// All are immutable objects, so sharing them is safe.
public import Foundation

nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
nonisolated(unsafe) public let kSecKeyApplePayEnabled: CFString = "applepay"
nonisolated(unsafe) public let kSecKeyOSBound: CFString = "osbound"
nonisolated(unsafe) public let kSecKeySealedHashesBound: CFString = "sealedhashesbound"
nonisolated(unsafe) public let kSecPasswordMaxLength: CFString = "PasswordMaxLength"
nonisolated(unsafe) public let kSecPasswordMinLength: CFString = "PasswordMinLength"
nonisolated(unsafe) public let kSecPasswordAllowedCharacters: CFString = "PasswordAllowedCharacters"
nonisolated(unsafe) public let kSecPasswordRequiredCharacters: CFString = "PasswordRequiredCharacters"
nonisolated(unsafe) public let kSecSharedPassword: CFString = "spwd"
nonisolated(unsafe) public let kSecSymmetricKeyAttrs: CFString = "symmetric"
