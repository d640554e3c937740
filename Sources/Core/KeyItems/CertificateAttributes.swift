package import LatchkeyCertificates
package import LatchkeyPropertyListDER

/// The attributes of a certificate as an item of class `cert` (secitem-semantics 5.4), without its class and its data.
package enum CertificateAttributes {
    /// DER: the one encoding there is (`CSSM_CERT_ENCODING_DER`).
    private static let encoding: Int64 = 3

    /// With the label inferred from the subject.
    package static func ofNewItem(_ certificate: Certificate) -> [String: PropertyValue] {
        var attributes = ofSearch(certificate)
        attributes["cenc"] = .integer(encoding)
        attributes["subj"] = .data(certificate.normalisedSubject)
        attributes["pkhh"] = .data(certificate.publicKeyDigest)
        attributes["skid"] = certificate.subjectKeyIdentifier.map { .data($0) }
        attributes["labl"] = certificate.summary.map { .string($0) }
        return attributes
    }

    /// What a search for the certificate names: type, issuer and serial number.
    package static func ofSearch(_ certificate: Certificate) -> [String: PropertyValue] {
        [
            "ctyp": .integer(Int64(certificate.version) + 1), "issr": .data(certificate.normalisedIssuer),
            "slnr": .data(certificate.serialNumber),
        ]
    }
}
