import Foundation
import Security

@c(SecKeyCreateRandomKey)
public func secKeyCreateRandomKey(
    _ parameters: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in unsafe SecKeyCreateRandomKey(try required(parameters), slot) }
}

@c(SecKeyCreateWithData)
public func secKeyCreateWithData(
    _ keyData: UnsafeRawPointer?, _ attributes: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecKeyCreateWithData(try required(keyData), try required(attributes), slot)
    }
}

@c(SecKeyCopyExternalRepresentation)
public func secKeyCopyExternalRepresentation(
    _ key: UnsafeRawPointer?, _ error: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> UnsafeRawPointer? {
    unsafe object(error) { slot throws(WrongObject) in
        unsafe SecKeyCopyExternalRepresentation(try required(key), slot)
    }
}

@c(SecKeyCopyAttributes)
public func secKeyCopyAttributes(_ key: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecKeyCopyAttributes(unsafe try required(key)) }
}

@c(SecKeyCopyPublicKey)
public func secKeyCopyPublicKey(_ key: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe object { () throws(WrongObject) in SecKeyCopyPublicKey(unsafe try required(key)) }
}

@c(SecKeyGetBlockSize)
public func secKeyGetBlockSize(_ key: UnsafeRawPointer?) -> Int {
    (unsafe try? required(key, as: SecKey.self)).map { SecKeyGetBlockSize($0) } ?? 0
}

@c(SecKeyIsAlgorithmSupported)
public func secKeyIsAlgorithmSupported(
    _ key: UnsafeRawPointer?, _ operation: Int, _ algorithm: UnsafeRawPointer?
) -> UInt8 {
    guard let key = unsafe try? required(key, as: SecKey.self), let algorithm = unsafe try? keyAlgorithm(algorithm),
        let operation = SecKeyOperationType(rawValue: operation)
    else { return 0 }
    return UInt8(SecKeyIsAlgorithmSupported(key, operation, algorithm))
}

/// Borrows the name of an algorithm.
func keyAlgorithm(_ name: UnsafeRawPointer?) throws(WrongObject) -> SecKeyAlgorithm {
    SecKeyAlgorithm(rawValue: unsafe try required(name))
}
