import LatchkeyAsymmetricKeys
import LatchkeySecretMemory

@testable import LatchkeyCertificates

private let passphrase = SecretBox(copying: Array("x".utf8))

/// A PKCS#12 file: whatever is accepted holds keys that belong to their certificates. Few rounds are allowed, so that
/// the fuzzer spends its time on parsing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = SecretBox(copying: UnsafeRawBufferPointer(start: start, count: count))
    guard let found = try? PKCS12File(pkcs12: input, passphrase: passphrase, roundLimit: 5000) else {
        return 0
    }
    precondition(found.certificates.count + found.identities.count + found.otherKeys.count <= 2 * SafeReader.bagLimit)
    for identity in found.identities {
        precondition(identity.key.publicKey.digest == identity.certificate.publicKeyDigest)
        precondition(found.certificates.contains(identity.certificate))
    }
    return 0
}
