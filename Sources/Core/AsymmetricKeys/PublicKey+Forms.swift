import LatchkeyEncoding
import LatchkeySecretMemory

extension PublicKey {
    /// Parses a `SubjectPublicKeyInfo` in DER, as in certificates and in `PUBLIC KEY` texts.
    package convenience init(subjectPublicKeyInfo der: [UInt8]) throws(KeyFailure) {
        guard der.count <= KeyForm.byteLimit else { throw .unsupported(what: "a key of more than 16 KiB") }
        let (algorithm, bytes) = unsafe try der.lend { bytes throws(KeyFailure) in
            var outer = unsafe KeyDERReader(bytes)
            var parts = try outer.nested()
            try outer.end()
            let algorithm = try AlgorithmIdentifier(&parts)
            let key = unsafe [UInt8](try parts.bitString())
            try parts.end()
            return (algorithm, key)
        }
        switch algorithm {
        case .rsa: try self.init(rsa: bytes)
        case .ellipticCurve(let curve): try self.init(anyFormOfPoint: bytes, curve)
        }
    }

    /// Makes a key of a point, compressed or not: other programs write both.
    convenience init(anyFormOfPoint bytes: [UInt8], _ curve: Curve) throws(KeyFailure) {
        guard bytes.first != 4 else {
            try self.init(point: bytes, curve)
            return
        }
        guard let point = unsafe bytes.lend({ unsafe EllipticGroup.of(curve).uncompressed($0) }) else {
            throw .unreadable(reason: "the point is not on the curve")
        }
        try self.init(point: point, curve)
    }

    /// Parses a PEM text: `PUBLIC KEY`, or `RSA PUBLIC KEY`.
    package convenience init(pem: [UInt8]) throws(KeyFailure) {
        let text = unsafe try pem.lend { bytes throws(KeyFailure) in
            try unsafe KeyPEM(bytes, labels: ["PUBLIC KEY", "RSA PUBLIC KEY"], passphrase: nil)
        }
        let der = unsafe text.der.withBytes { unsafe [UInt8]($0) }
        if text.label == "PUBLIC KEY" {
            try self.init(subjectPublicKeyInfo: der)
        } else {
            try self.init(rsa: der)
        }
    }

    /// `SubjectPublicKeyInfo` in DER.
    package var subjectPublicKeyInfo: [UInt8] {
        KeyDERWriter.sequence([algorithmIdentifier.der, KeyDERWriter.bitString(externalRepresentation)])
    }

    /// The PEM text `PUBLIC KEY`, with a line end at its end.
    package var pem: String {
        let text = KeyPEM.written("PUBLIC KEY", SecretBox(copying: subjectPublicKeyInfo))
        return unsafe text.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    var algorithmIdentifier: AlgorithmIdentifier {
        switch kind {
        case .rsa: .rsa
        case .ellipticCurve(let curve): .ellipticCurve(curve)
        }
    }
}
