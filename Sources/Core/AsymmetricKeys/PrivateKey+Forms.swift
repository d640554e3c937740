import LatchkeyEncoding
package import LatchkeySecretMemory

extension PrivateKey {
    /// Parses PEM or DER: PKCS#8, encrypted or not, or the older forms of OpenSSL.
    package convenience init(encoded: SecretBox, passphrase: SecretBox?) throws(KeyFailure) {
        if unsafe encoded.withBytes({ unsafe $0.first }) == DERTag.sequence {
            try self.init(der: encoded, passphrase: passphrase)
            return
        }
        let text = try unsafe encoded.withBytes { text throws(KeyFailure) in
            try unsafe KeyPEM(text, labels: Self.labels, passphrase: passphrase)
        }
        do throws(KeyFailure) {
            try self.init(der: text.der, passphrase: passphrase)
        } catch .unreadable where text.wasEncrypted {
            // The decrypted bytes are not a key: a wrong passphrase appears as this here.
            throw .wrongPassphrase
        }
    }

    private convenience init(der: SecretBox, passphrase: SecretBox?) throws(KeyFailure) {
        guard der.count <= KeyForm.byteLimit else { throw .unsupported(what: "a key of more than 16 KiB") }
        let parts = try unsafe der.withBytes { bytes throws(KeyFailure) in
            guard unsafe EncryptedKey.isOne(bytes) else { return try unsafe Self.plain(bytes) }
            let opened = try unsafe EncryptedKey(bytes).opened(with: passphrase)
            return try unsafe opened.withBytes { bytes throws(KeyFailure) in try unsafe Self.plain(bytes) }
        }
        self.init(parts.0, parts.1)
    }

    private static let labels: Set<String> = [
        "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY",
    ]

    /// Parses PKCS#8, PKCS#1 or SEC 1: the second value decides which it is.
    private static func plain(_ der: UnsafeRawBufferPointer) throws(KeyFailure) -> (KeyHandle, PublicKey) {
        var outer = unsafe KeyDERReader(unsafe der)
        var parts = try outer.nested()
        try outer.end()
        let version = try parts.smallNumber()
        switch parts.nextTag {
        case DERTag.sequence: return try pkcs8(&parts, version: version)
        case DERTag.octetString: return try unsafe sec1(der, nil)
        default: return try unsafe rsa(der)
        }
    }

    /// Parses `OneAsymmetricKey` of RFC 5958 after its version.
    private static func pkcs8(
        _ parts: inout KeyDERReader, version: UInt64
    ) throws(KeyFailure) -> (KeyHandle, PublicKey) {
        guard version <= 1 else { throw .unreadable(reason: "PKCS#8 of an unknown version") }
        let algorithm = try AlgorithmIdentifier(&parts)
        let key = unsafe try parts.contents(DERTag.octetString)
        if parts.nextTag == DERTag.explicit(0) { _ = unsafe try parts.contents(DERTag.explicit(0)) }
        var told: [UInt8]?
        if version == 1, parts.nextTag == publicKeyTag {
            let bits = unsafe try parts.contents(publicKeyTag)
            guard unsafe bits.first == 0 else { throw .unreadable(reason: "a bit string does not have whole bytes") }
            told = unsafe [UInt8](bits.dropFirst())
        }
        try parts.end()
        let found =
            switch algorithm {
            case .rsa: try unsafe rsa(key)
            case .ellipticCurve(let curve): try unsafe sec1(key, curve)
            }
        guard told.map({ $0 == found.1.externalRepresentation }) ?? true else {
            throw .unreadable(reason: "the public half belongs to another private key")
        }
        return found
    }

    /// Parses `ECPrivateKey` of RFC 5915, by itself or in PKCS#8, which has named the curve.
    private static func sec1(
        _ der: UnsafeRawBufferPointer, _ toldCurve: Curve?
    ) throws(KeyFailure) -> (KeyHandle, PublicKey) {
        var outer = unsafe KeyDERReader(unsafe der)
        var parts = try outer.nested()
        try outer.end()
        guard try parts.smallNumber() == 1 else { throw .unreadable(reason: "an EC key of an unknown version") }
        let number = unsafe try parts.contents(DERTag.octetString)
        var curve = toldCurve
        if parts.nextTag == DERTag.explicit(0) {
            var parameters = try parts.nested(DERTag.explicit(0))
            let own = try Curve(&parameters)
            try parameters.end()
            guard toldCurve ?? own == own else { throw .unreadable(reason: "the key names two curves") }
            curve = own
        }
        guard let curve else { throw .unreadable(reason: "the key names no curve") }
        var told: PublicKey?
        if parts.nextTag == DERTag.explicit(1) {
            var half = try parts.nested(DERTag.explicit(1))
            told = try PublicKey(anyFormOfPoint: unsafe [UInt8](try half.bitString()), curve)
            try half.end()
        }
        try parts.end()
        return try unsafe ellipticCurve(curve, number, told)
    }

    /// [1] IMPLICIT BIT STRING.
    private static let publicKeyTag: UInt8 = 0x81

    /// Writes PKCS#8 in DER; with a passphrase PBES2: PBKDF2 with HMAC-SHA256, AES-256-CBC.
    package func pkcs8(passphrase: SecretBox?) -> SecretBox {
        let plain = plainPKCS8
        guard let passphrase else { return plain }
        return EncryptedKey.sealed(plain, with: passphrase)
    }

    /// Writes the same as PEM: `PRIVATE KEY` or `ENCRYPTED PRIVATE KEY`.
    package func pem(passphrase: SecretBox?) -> SecretBox {
        KeyPEM.written(passphrase == nil ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY", pkcs8(passphrase: passphrase))
    }

    private var plainPKCS8: SecretBox {
        let key: SecretBox
        switch publicKey.kind {
        case .rsa:
            key = externalRepresentation
        case .ellipticCurve:
            // Without the curve, which PKCS#8 already names.
            let number = privateNumber
            let point = KeyDERWriter.bitString(publicKey.externalRepresentation)
            let half = KeyDERWriter.value(DERTag.explicit(1), point)
            let head = KeyDERWriter.number([1]) + DERHeader.bytes(DERTag.octetString, contentCount: number.count)
            let count = head.count + number.count + half.count
            key = KeyDERWriter.joined(DERHeader.bytes(DERTag.sequence, contentCount: count) + head, number, half)
        }
        let head =
            KeyDERWriter.number([]) + publicKey.algorithmIdentifier.der
            + DERHeader.bytes(DERTag.octetString, contentCount: key.count)
        return KeyDERWriter.joined(DERHeader.bytes(DERTag.sequence, contentCount: head.count + key.count) + head, key)
    }
}
