import Foundation
import LatchkeySecurityForC
import Security

// The functions that rows call. Those of this module come before Security's, and go to the border of the row.

private var isForeign: Bool { Border.current == .c }

func SecItemAdd(
    _ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    guard isForeign else { return Security.SecItemAdd(attributes, result) }
    return foreign(attributes) { objects in filling(result) { secItemAdd(objects[0], $0) } }
}

func SecItemCopyMatching(
    _ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    guard isForeign else { return Security.SecItemCopyMatching(query, result) }
    return foreign(query) { objects in filling(result) { secItemCopyMatching(objects[0], $0) } }
}

func SecItemUpdate(
    _ query: CFDictionary, _ changes: CFDictionary
) -> OSStatus {
    guard isForeign else { return Security.SecItemUpdate(query, changes) }
    return foreign(query, changes) { secItemUpdate($0[0], $0[1]) }
}

func SecItemDelete(
    _ query: CFDictionary
) -> OSStatus {
    guard isForeign else { return Security.SecItemDelete(query) }
    return foreign(query) { secItemDelete($0[0]) }
}

func SecCopyErrorMessageString(
    _ status: OSStatus, _ reserved: UnsafeMutableRawPointer?
) -> CFString? {
    guard isForeign else { return Security.SecCopyErrorMessageString(status, reserved) }
    return taken(secCopyErrorMessageString(status, reserved))
}

func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard isForeign else { return Security.SecAccessControlCreateWithFlags(allocator, protection, flags, error) }
    return foreign(protection) { objects in
        failing(error) { taken(secAccessControlCreateWithFlags(nil, objects[0], flags.rawValue, $0)) }
    }
}

func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    guard isForeign else { return Security.SecKeyCreateRandomKey(parameters, error) }
    return foreign(parameters) { objects in failing(error) { taken(secKeyCreateRandomKey(objects[0], $0)) } }
}

func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    guard isForeign else { return Security.SecKeyCreateWithData(keyData, attributes, error) }
    return foreign(keyData, attributes) { objects in
        failing(error) { taken(secKeyCreateWithData(objects[0], objects[1], $0)) }
    }
}

func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard isForeign else { return Security.SecKeyCopyExternalRepresentation(key, error) }
    return foreign(key) { objects in failing(error) { taken(secKeyCopyExternalRepresentation(objects[0], $0)) } }
}

func SecKeyCopyAttributes(
    _ key: SecKey
) -> CFDictionary? {
    guard isForeign else { return Security.SecKeyCopyAttributes(key) }
    return foreign(key) { taken(secKeyCopyAttributes($0[0])) }
}

func SecKeyCopyPublicKey(
    _ key: SecKey
) -> SecKey? {
    guard isForeign else { return Security.SecKeyCopyPublicKey(key) }
    return foreign(key) { taken(secKeyCopyPublicKey($0[0])) }
}

func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    guard isForeign else { return Security.SecKeyIsAlgorithmSupported(key, operation, algorithm) }
    return foreign(key, algorithm.rawValue) {
        secKeyIsAlgorithmSupported($0[0], operation.rawValue, $0[1]) != 0
    }
}

func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard isForeign else { return Security.SecKeyCreateSignature(key, algorithm, dataToSign, error) }
    return foreign(key, algorithm.rawValue, dataToSign) { objects in
        failing(error) { taken(secKeyCreateSignature(objects[0], objects[1], objects[2], $0)) }
    }
}

func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard isForeign else { return Security.SecKeyCreateEncryptedData(key, algorithm, plaintext, error) }
    return foreign(key, algorithm.rawValue, plaintext) { objects in
        failing(error) { taken(secKeyCreateEncryptedData(objects[0], objects[1], objects[2], $0)) }
    }
}

func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard isForeign else { return Security.SecKeyCreateDecryptedData(key, algorithm, ciphertext, error) }
    return foreign(key, algorithm.rawValue, ciphertext) { objects in
        failing(error) { taken(secKeyCreateDecryptedData(objects[0], objects[1], objects[2], $0)) }
    }
}

func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    guard isForeign else { return Security.SecKeyVerifySignature(key, algorithm, signedData, signature, error) }
    return foreign(key, algorithm.rawValue, signedData, signature) { objects in
        failing(error) { secKeyVerifySignature(objects[0], objects[1], objects[2], objects[3], $0) != 0 }
    }
}

func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard isForeign else {
        return Security.SecKeyCopyKeyExchangeResult(privateKey, algorithm, publicKey, parameters, error)
    }
    return foreign(privateKey, algorithm.rawValue, publicKey, parameters) { objects in
        failing(error) { taken(secKeyCopyKeyExchangeResult(objects[0], objects[1], objects[2], objects[3], $0)) }
    }
}
