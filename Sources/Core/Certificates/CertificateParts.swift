import LatchkeyEncoding

/// The fields of a certificate, parsed without libcrypto: `Certificate` of RFC 5280, 4.1.
struct CertificateParts {
    struct Extension {
        /// The content of the object identifier.
        let identifier: [UInt8]
        let isCritical: Bool
        /// The DER in the OCTET STRING.
        let value: ArraySlice<UInt8>
    }

    /// The nesting limit: far more than any extension needs that libcrypto supports.
    static let depthLimit = 24
    /// Apple's limit; RFC 5280 allows 20 octets.
    private static let serialNumberLimit = 37

    let version: Int
    let serialNumber: ArraySlice<UInt8>
    let issuer: ArraySlice<UInt8>
    let subject: ArraySlice<UInt8>
    let issuerName: DistinguishedName
    let subjectName: DistinguishedName
    let notBefore: Double
    let notAfter: Double
    /// `SubjectPublicKeyInfo`, its algorithm and the bits of the key.
    let publicKeyInfo: ArraySlice<UInt8>
    let publicKeyAlgorithm: ArraySlice<UInt8>
    let publicKeyBits: ArraySlice<UInt8>
    let extensions: [Extension]
    let signatureAlgorithm: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>

    init(der: [UInt8]) throws(CertificateFailure) {
        guard let certificate = DERCursor.only(der[...], tag: DERTag.sequence) else {
            throw .unreadable(reason: "The bytes are not a single DER sequence.")
        }
        guard DERCursor.isWellFormed(certificate.content, depth: Self.depthLimit) else {
            throw .unreadable(reason: "The certificate is not valid DER, or is nested too deeply.")
        }
        var outside = certificate.parts
        guard var inside = outside.next(DERTag.sequence)?.parts,
            let algorithm = outside.next(DERTag.sequence), let signature = outside.next(DERTag.bitString),
            outside.isAtEnd, let signatureBits = Self.bits(signature)
        else { throw .unreadable(reason: "The bytes are not a signed certificate.") }
        guard let version = Self.version(&inside) else { throw .unreadable(reason: "The version is not known.") }
        guard let serial = inside.next(DERTag.integer), (1...Self.serialNumberLimit).contains(serial.content.count)
        else {
            throw .unreadable(reason: "The serial number is missing, or too long.")
        }
        guard inside.next(DERTag.sequence) != nil, let issuer = inside.next(DERTag.sequence),
            let issuerName = DistinguishedName(der: issuer.whole)
        else { throw .unreadable(reason: "The issuer's name cannot be parsed.") }
        guard var validity = inside.next(DERTag.sequence)?.parts, let notBefore = Self.moment(&validity),
            let notAfter = Self.moment(&validity), validity.isAtEnd
        else { throw .unreadable(reason: "The validity dates cannot be parsed.") }
        guard let subject = inside.next(DERTag.sequence), let subjectName = DistinguishedName(der: subject.whole) else {
            throw .unreadable(reason: "The subject's name cannot be parsed.")
        }
        guard let keyInfo = inside.next(DERTag.sequence), let key = Self.publicKey(keyInfo.parts) else {
            throw .unreadable(reason: "The certificate's public key cannot be parsed.")
        }
        _ = inside.next(DERTag.implicit(1))
        _ = inside.next(DERTag.implicit(2))
        guard let extensions = Self.extensions(&inside), inside.isAtEnd else {
            throw .unreadable(reason: "The extensions cannot be parsed.")
        }
        self.version = version
        serialNumber = serial.content
        self.issuer = issuer.whole
        self.subject = subject.whole
        self.issuerName = issuerName
        self.subjectName = subjectName
        self.notBefore = notBefore
        self.notAfter = notAfter
        publicKeyInfo = keyInfo.whole
        (publicKeyAlgorithm, publicKeyBits) = key
        self.extensions = extensions
        signatureAlgorithm = algorithm.whole
        self.signature = signatureBits
    }

    /// Returns the first extension of a kind; libcrypto does not verify certificates that have two.
    func `extension`(_ identifier: [UInt8]) -> Extension? {
        extensions.first { $0.identifier == identifier }
    }

    /// Parses the version. DER omits version 1.
    private static func version(_ inside: inout DERCursor) -> Int? {
        guard let item = inside.next(DERTag.explicit(0)) else { return 0 }
        guard let number = DERCursor.only(item.content, tag: DERTag.integer), number.content.count == 1,
            let version = number.content.first, version == 1 || version == 2
        else { return nil }
        return Int(version)
    }

    private static func moment(_ validity: inout DERCursor) -> Double? {
        validity.next().flatMap { DERMoment.seconds($0) }
    }

    /// Returns the content of a BIT STRING of whole bytes.
    static func bits(_ item: DERItem) -> ArraySlice<UInt8>? {
        item.content.first == 0 ? item.content.dropFirst() : nil
    }

    private static func publicKey(_ parts: DERCursor) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        var parts = parts
        guard var algorithm = parts.next(DERTag.sequence)?.parts,
            let identifier = algorithm.next(DERTag.objectIdentifier), let key = parts.next(DERTag.bitString),
            parts.isAtEnd, let bits = bits(key)
        else { return nil }
        return (identifier.content, bits)
    }

    private static func extensions(_ inside: inout DERCursor) -> [Extension]? {
        guard let item = inside.next(DERTag.explicit(3)) else { return [] }
        guard var list = DERCursor.only(item.content, tag: DERTag.sequence)?.parts else { return nil }
        var extensions: [Extension] = []
        while !list.isAtEnd {
            guard var parts = list.next(DERTag.sequence)?.parts,
                let identifier = parts.next(DERTag.objectIdentifier)
            else { return nil }
            let critical = parts.next(DERTag.boolean)
            guard let value = parts.next(DERTag.octetString), parts.isAtEnd else { return nil }
            extensions.append(
                Extension(
                    identifier: Array(identifier.content), isCritical: critical.map { $0.content.first != 0 } ?? false,
                    value: value.content))
        }
        return extensions
    }
}
