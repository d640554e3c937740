import LatchkeyEncoding

extension CertificateParts.Extension {
    /// A section that begins with the critical flag. Unknown extensions, and those that cannot be parsed, show their
    /// bytes.
    var field: CertificateField {
        let critical = Self.line("Critical", isCritical ? "Yes" : "No")
        return CertificateField(
            identifier: ObjectIdentifiers.dotted(identifier), label: ObjectIdentifiers.label(identifier),
            value: .section([critical] + (details ?? [Self.line("Data", data: value)])))
    }

    private var details: [CertificateField]? {
        switch identifier {
        case ObjectIdentifiers.subjectKeyIdentifier:
            DERCursor.only(value, tag: DERTag.octetString).map { [Self.line("Key ID", data: $0.content)] }
        case ObjectIdentifiers.authorityKeyIdentifier: authorityKey
        case ObjectIdentifiers.basicConstraints: basicConstraints
        case ObjectIdentifiers.keyUsage: keyUsage
        case ObjectIdentifiers.extendedKeyUsage: extendedKeyUsage
        case ObjectIdentifiers.subjectAlternativeName: alternativeNames
        default: nil
        }
    }

    private var authorityKey: [CertificateField]? {
        var parts = DERCursor.only(value, tag: DERTag.sequence)?.parts
        return parts?.next(DERTag.implicit(0)).map { [Self.line("Key ID", data: $0.content)] }
    }

    private var basicConstraints: [CertificateField]? {
        guard var parts = DERCursor.only(value, tag: DERTag.sequence)?.parts else { return nil }
        let isAuthority = parts.next(DERTag.boolean).map { $0.content.first != 0 } ?? false
        let limit = parts.next(DERTag.integer)
        guard parts.isAtEnd else { return nil }
        let lines = [Self.line("Certificate Authority", isAuthority ? "Yes" : "No")]
        guard let limit else { return lines }
        guard limit.content.count <= 4, let first = limit.content.first, first < 0x80 else { return nil }
        return lines + [Self.line("Path Length Constraint", String(limit.content.reduce(0) { $0 << 8 | Int($1) }))]
    }

    /// The bits of RFC 5280, 4.2.1.3, from the first on.
    private static let uses = [
        "Digital Signature", "Non-Repudiation", "Key Encipherment", "Data Encipherment", "Key Agreement",
        "Key Cert Sign", "CRL Sign", "Encipher Only", "Decipher Only",
    ]

    private var keyUsage: [CertificateField]? {
        guard let bits = DERCursor.only(value, tag: DERTag.bitString)?.content.dropFirst(), bits.count <= 2 else {
            return nil
        }
        let octets = Array(bits)
        let set = Self.uses.indices.filter { bit in
            bit / 8 < octets.count && octets[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0
        }
        return [Self.line("Usage", set.map { Self.uses[$0] }.joined(separator: ", "))]
    }

    private var extendedKeyUsage: [CertificateField]? {
        guard var parts = DERCursor.only(value, tag: DERTag.sequence)?.parts else { return nil }
        var lines: [CertificateField] = []
        while !parts.isAtEnd {
            guard let purpose = parts.next(DERTag.objectIdentifier) else { return nil }
            lines.append(Self.line("Purpose", ObjectIdentifiers.label(purpose.content)))
        }
        return lines
    }

    private var alternativeNames: [CertificateField]? {
        let names = AlternativeName.all(der: value)
        return names.isEmpty ? nil : names.map(\.field)
    }

    private static func line(_ label: String, _ text: String) -> CertificateField {
        CertificateField(identifier: label, label: label, value: .text(text))
    }

    private static func line(_ label: String, data: ArraySlice<UInt8>) -> CertificateField {
        CertificateField(identifier: label, label: label, value: .data(Array(data)))
    }
}

extension AlternativeName {
    /// Its kind and text; the bytes of names that are not text.
    var field: CertificateField {
        let label =
            switch self {
            case .emailAddress: "Email Address"
            case .hostName: "DNS Name"
            case .uniformResourceIdentifier: "URI"
            case .address: "IP Address"
            case .other(tag: 0xA4, _): "Directory Name"
            case .other: "Other Name"
            }
        return CertificateField(identifier: label, label: label, value: value)
    }

    private var value: CertificateField.Value {
        if let text { return .text(text) }
        guard case .other(let tag, let content) = self else { return .data([]) }
        guard tag == 0xA4, let name = DistinguishedName(der: content[...]) else { return .data(content) }
        return .section(Certificate.fields(of: name))
    }
}
