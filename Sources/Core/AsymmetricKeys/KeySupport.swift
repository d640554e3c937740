import LatchkeyCryptoSuite

extension KeyKind {
    /// Returns true if keys of this kind and size support this algorithm at all (Reference 9.7, 10.2).
    func has(_ algorithm: KeyAlgorithm) -> Bool {
        switch (self, algorithm) {
        case (.rsa(let bits), .signature(let signature)): signature.fits(rsaBits: bits)
        case (.rsa, .encryption(let encryption)): encryption.fits(rsaBlock: blockByteCount)
        case (.rsa, .exchange): false
        case (.ellipticCurve, .signature(let signature)):
            signature.scheme == .ecdsaX962 || signature.scheme == .ecdsaRFC4754
        case (.ellipticCurve, .encryption(.ecies)): true
        case (.ellipticCurve, .encryption): false
        case (.ellipticCurve, .exchange): true
        }
    }

    /// The length of an AES key that ECIES agrees on, or that is sent under OAEP (Reference 10.3, 10.4).
    var contentKeyByteCount: Int {
        switch self {
        case .rsa(let bits): bits < 4096 ? 16 : 32
        case .ellipticCurve(let curve): curve.rawValue <= 256 ? 16 : 32
        }
    }
}

extension SignatureAlgorithm {
    fileprivate func fits(rsaBits bits: Int) -> Bool {
        switch scheme {
        case .rsaRaw: true
        // Padding has at least eleven bytes, and the digest follows its name.
        case .rsaPKCS1: (bits + 7) / 8 >= 11 + (digest?.digestInfoByteCount ?? 0)
        case .rsaPSS: digest.map { bits >= 16 * $0.byteCount + 9 } ?? false
        case .ecdsaX962, .ecdsaRFC4754: false
        }
    }
}

extension EncryptionAlgorithm {
    /// The longest plaintext for RSA keys of a size; negative if there is none, nil if any length is allowed.
    func plaintextLimit(rsaBlock block: Int) -> Int? {
        switch self {
        case .rsaRaw: block
        case .rsaPKCS1: block - 11
        case .rsaOAEP(let digest): block - 2 * digest.byteCount - 2
        case .rsaOAEPAESGCM, .ecies: nil
        }
    }

    fileprivate func fits(rsaBlock block: Int) -> Bool {
        switch self {
        case .rsaRaw, .rsaPKCS1, .rsaOAEP: (plaintextLimit(rsaBlock: block) ?? 0) >= 0
        case .rsaOAEPAESGCM(let digest):
            (Self.rsaOAEP(digest).plaintextLimit(rsaBlock: block) ?? 0)
                >= KeyKind.rsa(bits: block * 8).contentKeyByteCount
        case .ecies: false
        }
    }
}

extension DigestAlgorithm {
    /// The `DigestInfo` of PKCS#1: the name of the digest in DER, and the digest.
    fileprivate var digestInfoByteCount: Int {
        switch self {
        case .md5: 18 + byteCount
        case .sha1: 15 + byteCount
        case .sha224, .sha256, .sha384, .sha512: 19 + byteCount
        }
    }
}

extension SignatureAlgorithm {
    fileprivate var isOfRSA: Bool { scheme == .rsaRaw || scheme == .rsaPKCS1 || scheme == .rsaPSS }

    /// Returns the bytes to sign: the digest of a message, or the given digest, whose length is checked.
    package func digested(_ signed: [UInt8]) throws(KeyOperationFailure) -> [UInt8] {
        guard let digest else { return signed }
        guard !takesMessage else { return digest.digest(of: signed) }
        guard signed.count == digest.byteCount else {
            throw .badInput(reason: "A digest of \(digest.name) has \(digest.byteCount) bytes, not \(signed.count).")
        }
        return signed
    }
}

extension PublicKey {
    /// Returns true if a key of this kind and size supports the operation at all (Reference 10.2).
    package func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
        switch (operation, algorithm) {
        case (.verify, .signature), (.encrypt, .encryption): kind.has(algorithm)
        // Decrypting a signature uses the same arithmetic as encrypting.
        case (.decrypt, .encryption(.rsaRaw)), (.decrypt, .encryption(.rsaPKCS1)), (.decrypt, .encryption(.rsaOAEP)):
            kind.has(algorithm)
        default: false
        }
    }
}

extension PrivateKeyOperations {
    /// Returns true if a private key of this kind and size supports the operation at all (Reference 10.2).
    package func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
        switch (operation, algorithm) {
        case (.sign, .signature), (.decrypt, .encryption), (.exchange, .exchange): publicKey.kind.has(algorithm)
        // Apple's keys verify by decrypting. With a private key that fails, and is supported all the same.
        case (.verify, .signature(let signature)): signature.isOfRSA && publicKey.kind.has(algorithm)
        default: false
        }
    }
}
