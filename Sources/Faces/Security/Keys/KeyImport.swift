public import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The key of its external representation.
///
/// - Parameters:
///   - keyData: RSA: PKCS#1 in DER; elliptic curves: X9.63. Ignored for a key of the enclave.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`, or token and `kSecAttrTokenOID` of a key of the enclave.
///   - error: filled whenever the result is nil, for the caller to release.
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe orError(error) { () throws(KeyCallFailure) in
        try SecKey(importing: keyData, KeyDictionary(attributes))
    }
}

extension SecKey {
    fileprivate convenience init(importing data: NSData, _ attributes: KeyDictionary) throws(KeyCallFailure) {
        try attributes.checkText()
        if let token = attributes[.tokenID] {
            self.init(try EnclaveKey(token: token, attributes))
            return
        }
        guard let keyClass = attributes.number(.keyClass), let number = attributes.number(.type) else {
            throw KeyCallFailure(errSecParam, "kSecAttrKeyType or kSecAttrKeyClass is missing or not a number.")
        }
        guard keyClass != 2 else {
            throw KeyCallFailure(errSecUnimplemented, "A SecKey is public or private, never symmetric.")
        }
        guard let type = KeyType(rawValue: number) else {
            throw KeyCallFailure(errSecParam, "kSecAttrKeyType is not a supported type.")
        }
        guard let content = try Content(data, keyClass: keyClass, type) else {
            throw KeyCallFailure(errSecParam, "kSecAttrKeyClass is neither public nor private.")
        }
        self.init(content)
    }
}

extension SecKey.Content {
    /// Nil for an unknown class of keys.
    fileprivate init?(_ data: NSData, keyClass: Int64, _ type: KeyType) throws(KeyCallFailure) {
        do throws(KeyFailure) {
            try self.init(data.secretBox, keyClass: keyClass, type)
        } catch {
            throw KeyCallFailure(error)
        }
    }

    /// The key of an external representation; nil for an unknown class of keys.
    init?(_ data: SecretBox, keyClass: Int64, _ type: KeyType) throws(KeyFailure) {
        switch keyClass {
        case KeyAttributes.publicClass:
            let bytes = unsafe data.withBytes { unsafe [UInt8]($0) }
            self = .publicKey(try PublicKey(externalRepresentation: bytes, type: type))
        case KeyAttributes.privateClass:
            self = .privateKey(try PrivateKey(externalRepresentation: data, type: type))
        default:
            return nil
        }
    }
}

extension EnclaveKey {
    fileprivate init(token: AnyObject, _ attributes: KeyDictionary) throws(KeyCallFailure) {
        guard (token as? NSString)?.wellFormed == KeyAttributes.enclaveToken else {
            throw KeyCallFailure(
                errSecItemNotFound, "Unknown token. The only supported value is kSecAttrTokenIDSecureEnclave.")
        }
        guard let blob = attributes.data(.tokenOID) else {
            throw KeyCallFailure(
                errSecParam, "The enclave takes no keys from outside: only its own come back, by kSecAttrTokenOID.")
        }
        try self.init(restoring: blob.byteArray, over: KeyConnection(attributes))
    }
}
