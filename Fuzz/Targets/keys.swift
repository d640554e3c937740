import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeySecretMemory

private let word = SecretBox(copying: Array("word".utf8))

/// The forms of keys and signatures. An accepted one has one external representation, and its other forms mean the
/// same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    for type in KeyType.allCases {
        if let key = try? PublicKey(externalRepresentation: input, type: type) {
            precondition(key.externalRepresentation == input, "a public key has two representations")
            check(key)
        }
        if let key = try? PrivateKey(externalRepresentation: SecretBox(copying: input), type: type) {
            precondition(key.externalRepresentation.equals(SecretBox(copying: input)), "a key has two representations")
            check(key)
        }
    }
    if let key = try? PublicKey(subjectPublicKeyInfo: input) { check(key) }
    if let key = try? PublicKey(pem: input) { check(key) }
    // Deriving a key of a passphrase may take seconds by right; the older encryption of texts does not.
    let isOldText = input.starts(with: Array("-----BEGIN ".utf8)) && !input.starts(with: Array("-----BEGIN ENC".utf8))
    let encoded = SecretBox(copying: input)
    if let key = try? PrivateKey(encoded: encoded, passphrase: isOldText ? word : nil) { check(key) }
    for curve in Curve.allCases {
        guard let raw = ECDSASignature.raw(der: input, curve: curve) else { continue }
        precondition(ECDSASignature.der(raw: raw, curve: curve) == input, "a signature has two forms in DER")
    }
    return 0
}

private func check(_ key: PublicKey) {
    guard let again = try? PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo), again == key else {
        preconditionFailure("the own SubjectPublicKeyInfo means something else")
    }
}

private func check(_ key: PrivateKey) {
    check(key.publicKey)
    guard let again = try? PrivateKey(encoded: key.pkcs8(passphrase: nil), passphrase: nil), again == key else {
        preconditionFailure("the own PKCS#8 means something else")
    }
    let algorithm = SignatureAlgorithm(
        key.publicKey.kind.type == .rsa ? .rsaPKCS1 : .ecdsaX962, .sha256, takesMessage: true)
    // A number that only looks like a prime makes a key that signs nothing.
    guard let signature = try? key.sign([1], algorithm) else { return }
    precondition((try? key.publicKey.verify(signature, over: [1], algorithm)) != nil, "the own signature is wrong")
}
