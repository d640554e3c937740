public import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// Makes a key pair.
///
/// - Parameters:
///   - parameters: type and size; where the keys are made and whether they become items; their attributes.
///   - error: filled whenever the result is nil, for the caller to release.
/// - Returns: the private key.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    CalledFunction.named("SecKeyCreateRandomKey") {
        unsafe orError(error) { () throws(KeyCallFailure) in try KeyPair(parameters).privateKey }
    }
}

/// Makes a key pair and gives both keys; where something else than success is the result, neither.
@available(*, deprecated, message: "Use SecKeyCreateRandomKey, and SecKeyCopyPublicKey of what it returns.")
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    CalledFunction.named("SecKeyGeneratePair") {
        do throws(KeyCallFailure) {
            let pair = try KeyPair(parameters)
            unsafe publicKey?.pointee = pair.publicKey
            unsafe privateKey?.pointee = pair.privateKey
            return errSecSuccess
        } catch {
            return error.code
        }
    }
}

/// A new key with its other half; those that are to be items are.
private struct KeyPair {
    let privateKey: SecKey
    let publicKey: SecKey

    init(_ dictionary: NSDictionary) throws(KeyCallFailure) {
        let parameters = try KeyPairParameters(dictionary)
        privateKey = try Self.made(parameters)
        publicKey = SecKey(privateKey.publicKey)
        // In Apple's order: without its private half a public key does no harm.
        if parameters.publicHalf.isPermanent { try Self.store(publicKey, parameters.publicHalf.attributes) }
        if parameters.privateHalf.isPermanent { try Self.store(privateKey, parameters.privateHalf.attributes) }
    }

    private static func made(_ parameters: KeyPairParameters) throws(KeyCallFailure) -> SecKey {
        switch parameters.place {
        case .enclave(let enclave):
            return SecKey(try enclave.key())
        case .here:
            do throws(KeyFailure) {
                return SecKey(try PrivateKey(generating: parameters.kind))
            } catch {
                throw KeyCallFailure(error)
            }
        }
    }

    private static func store(_ key: SecKey, _ attributes: KeyDictionary) throws(KeyCallFailure) {
        let reply = try ItemCall(operation: .add, query: attributes.with("v_Ref", key).object).reply()
        guard reply.code == .success else { throw KeyCallFailure(reply.code, reply.refusal) }
    }
}
