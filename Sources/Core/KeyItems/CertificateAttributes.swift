package import LatchkeyCertificates
package import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// The attributes of a certificate as an item of class `cert` (Reference 5.4), without its class and its data.
package enum CertificateAttributes {
    /// DER: the one encoding there is (`CSSM_CERT_ENCODING_DER`).
    private static let encoding: Int64 = 3

    /// With the label inferred from the subject.
    package static func ofNewItem(_ certificate: Certificate) -> [AttributeName: PropertyValue] {
        var attributes = ofSearch(certificate)
        attributes[.certificateEncoding] = .integer(encoding)
        attributes[.subject] = .data(certificate.normalisedSubject)
        attributes[.publicKeyHash] = .data(certificate.publicKeyDigest)
        attributes[.subjectKeyID] = certificate.subjectKeyIdentifier.map { .data($0) }
        attributes[.label] = certificate.summary.map { .string($0) }
        return attributes
    }

    /// The attributes that a search for the certificate names: type, issuer and serial number.
    package static func ofSearch(_ certificate: Certificate) -> [AttributeName: PropertyValue] {
        [
            .certificateType: .integer(Int64(certificate.version) + 1), .issuer: .data(certificate.normalisedIssuer),
            .serialNumber: .data(certificate.serialNumber),
        ]
    }
}
