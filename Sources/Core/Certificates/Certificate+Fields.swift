import LatchkeyEncoding

extension Certificate {
    /// The fields of `SecCertificateCopyValues`, in the order of the certificate. The identifiers are the constants
    /// `kSecOIDX509V1…`; extensions have their own.
    package var fields: [CertificateField] {
        [
            field(.version, .text(String(version + 1))),
            field(.serialNumber, .text(Self.hexadecimal(parts.serialNumber))),
            field(.issuer, .section(Self.fields(of: parts.issuerName))),
            field(.notBefore, .date(notValidBefore)),
            field(.notAfter, .date(notValidAfter)),
            field(.subject, .section(Self.fields(of: parts.subjectName))),
            field(.publicKeyAlgorithm, .section(Self.algorithm(parts.publicKeyAlgorithm))),
            field(.publicKey, .data(Array(parts.publicKeyBits))),
        ] + parts.extensions.map(\.field)
            + [
                field(.signatureAlgorithm, .section(Self.algorithm(signatureAlgorithmIdentifier))),
                field(.signature, .data(Array(parts.signature))),
            ]
    }

    private enum Fixed: String {
        case version = "2.16.840.1.113741.2.1.1.1.2"
        case serialNumber = "2.16.840.1.113741.2.1.1.1.3"
        case issuer = "2.16.840.1.113741.2.1.1.1.5"
        case notBefore = "2.16.840.1.113741.2.1.1.1.6"
        case notAfter = "2.16.840.1.113741.2.1.1.1.7"
        case subject = "2.16.840.1.113741.2.1.1.1.8"
        case publicKeyAlgorithm = "2.16.840.1.113741.2.1.1.1.9"
        case publicKey = "2.16.840.1.113741.2.1.1.1.10"
        case signatureAlgorithm = "2.16.840.1.113741.2.1.3.2.1"
        case signature = "2.16.840.1.113741.2.1.3.2.2"

        var label: String {
            switch self {
            case .version: "Version"
            case .serialNumber: "Serial Number"
            case .issuer: "Issuer Name"
            case .notBefore: "Not Valid Before"
            case .notAfter: "Not Valid After"
            case .subject: "Subject Name"
            case .publicKeyAlgorithm: "Public Key Algorithm"
            case .publicKey: "Public Key"
            case .signatureAlgorithm: "Signature Algorithm"
            case .signature: "Signature"
            }
        }
    }

    private func field(_ fixed: Fixed, _ value: CertificateField.Value) -> CertificateField {
        CertificateField(identifier: fixed.rawValue, label: fixed.label, value: value)
    }

    private var signatureAlgorithmIdentifier: ArraySlice<UInt8> {
        var algorithm = DERCursor.only(parts.signatureAlgorithm, tag: DERTag.sequence)?.parts
        return algorithm?.next(DERTag.objectIdentifier)?.content ?? []
    }

    private static func algorithm(_ identifier: ArraySlice<UInt8>) -> [CertificateField] {
        [
            CertificateField(
                identifier: "Algorithm", label: "Algorithm", value: .text(ObjectIdentifiers.label(identifier)))
        ]
    }

    static func fields(of name: DistinguishedName) -> [CertificateField] {
        name.attributes.map { attribute in
            CertificateField(
                identifier: ObjectIdentifiers.dotted(attribute.identifier),
                label: ObjectIdentifiers.label(attribute.identifier),
                value: attribute.text.map { .text($0) } ?? .data(Array(attribute.value.whole)))
        }
    }

    /// `01 A0 FF`.
    static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
