public import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER

/// The public half of a key; of a public key an equal one.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    key.isPrivate ? SecKey(key.publicKey) : key
}

/// The key as bytes: RSA in PKCS#1, elliptic curves in X9.63.
///
/// - Parameter error: filled whenever the result is nil, as it is for private keys of the enclave, for the caller to
///   release.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe orError(error) { () throws(KeyCallFailure) in
        switch key.content {
        case .publicKey(let key):
            return .copying(key.externalRepresentation)
        case .privateKey(let key):
            return .copying(key.externalRepresentation)
        case .enclaveKey:
            throw KeyCallFailure(errSecUnimplemented, "A private key of the enclave never leaves it.")
        }
    }
}

/// The attributes that an item of the key gets, without its data (Reference 9.6).
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    var attributes: [String: AnyObject] = ["class": NSString(string: ItemClass.key.rawValue)]
    for (name, value) in key.itemAttributes {
        switch value {
        // As the constants for types and classes of keys are: items have numbers.
        case .integer(let number) where name == .keyClass || name == .type:
            attributes[name.rawValue] = NSString(string: String(number))
        case .integer(let number):
            let isSize = name == .keySizeInBits || name == .effectiveKeySize
            attributes[name.rawValue] = isSize ? NSNumber(value: number) : NSNumber(value: number != 0)
        case .boolean(let truth): attributes[name.rawValue] = NSNumber(value: truth)
        case .string(let text): attributes[name.rawValue] = NSString(string: text)
        case .data(let bytes): attributes[name.rawValue] = NSData.copying(bytes)
        default: continue
        }
    }
    if case .enclaveKey(let key) = key.content {
        attributes[AttributeName.accessControl.rawValue] = SecAccessControl(key.accessControl)
    }
    return attributes as NSDictionary
}

/// RSA: the bytes of the modulus; elliptic curves: the bytes of a coordinate.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int {
    key.publicKey.kind.blockByteCount
}

/// Returns true if the key supports an operation with an algorithm. Never prompts.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard let algorithm = algorithm.algorithm else { return false }
    return switch key.content {
    case .publicKey(let key): key.supports(algorithm, for: operation.operation)
    case .privateKey(let key): key.supports(algorithm, for: operation.operation)
    case .enclaveKey(let key): EnclaveKeyUse(key).supports(algorithm, for: operation.operation)
    }
}
