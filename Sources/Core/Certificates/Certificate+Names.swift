import LatchkeyEncoding

extension Certificate {
    /// As numbers of X.509: 0 is version 1, 2 is version 3. `kSecAttrCertificateType` is 1 to 3.
    package var version: Int { parts.version }

    /// The content of the serial number's INTEGER, a leading zero included.
    package var serialNumber: [UInt8] { Array(parts.serialNumber) }

    /// The DER names as in the certificate, the SEQUENCE header included.
    package var issuer: [UInt8] { Array(parts.issuer) }
    package var subject: [UInt8] { Array(parts.subject) }

    /// The names with normalised texts, so that equal names have equal bytes: the result of
    /// `SecCertificateCopyNormalizedIssuerSequence` and the value of the attributes `issr` and `subj`. Texts of
    /// PrintableString get upper case and single blanks; everything else is unchanged.
    package var normalisedIssuer: [UInt8] { parts.issuerName.normalised }
    package var normalisedSubject: [UInt8] { parts.subjectName.normalised }

    /// Normalises a DER name; returns nil if the bytes are not a valid name.
    package static func normalised(name der: [UInt8]) -> [UInt8]? {
        guard der.count <= byteLimit else { return nil }
        return DistinguishedName(der: der[...])?.normalised
    }

    /// The content of the extension; nil if there is none.
    package var subjectKeyIdentifier: [UInt8]? {
        parts.extension(ObjectIdentifiers.subjectKeyIdentifier).flatMap { found in
            DERCursor.only(found.value, tag: DERTag.octetString).map { Array($0.content) }
        }
    }

    /// The last common name of the subject: the most specific of several.
    package var commonName: String? { parts.subjectName.texts(ObjectIdentifiers.commonName).last }

    /// The name to show people: common name, else organisational unit, organisation, or the first address.
    package var summary: String? {
        let names = [
            ObjectIdentifiers.commonName, ObjectIdentifiers.organisationalUnit, ObjectIdentifiers.organisation,
        ]
        for name in names {
            if let text = parts.subjectName.texts(name).last, !text.isEmpty { return text }
        }
        return emailAddresses.first ?? alternativeNames.lazy.compactMap(\.text).first
    }

    /// The RFC 822 names of alternative names and subject, in this order.
    package var emailAddresses: [String] {
        let alternatives = alternativeNames.compactMap { name -> String? in
            if case .emailAddress(let address) = name { address } else { nil }
        }
        return alternatives + parts.subjectName.texts(ObjectIdentifiers.emailAddress)
    }

    /// Seconds since 2001-01-01 00:00:00 UTC.
    package var notValidBefore: Double { parts.notBefore }
    package var notValidAfter: Double { parts.notAfter }

    /// The names of the extension that can be shown; none if it cannot be parsed.
    var alternativeNames: [AlternativeName] {
        guard let found = parts.extension(ObjectIdentifiers.subjectAlternativeName) else { return [] }
        return AlternativeName.all(der: found.value)
    }
}
