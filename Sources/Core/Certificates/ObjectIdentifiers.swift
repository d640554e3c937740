/// Object identifiers as the content octets of X.690, by their use.
enum ObjectIdentifiers {
    // Attributes of names (X.520, RFC 2985, RFC 4519).
    static let commonName: [UInt8] = [0x55, 4, 3]
    static let organisation: [UInt8] = [0x55, 4, 10]
    static let organisationalUnit: [UInt8] = [0x55, 4, 11]
    static let emailAddress: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]

    // Extensions (RFC 5280).
    static let subjectKeyIdentifier: [UInt8] = [0x55, 0x1D, 14]
    static let keyUsage: [UInt8] = [0x55, 0x1D, 15]
    static let subjectAlternativeName: [UInt8] = [0x55, 0x1D, 17]
    static let basicConstraints: [UInt8] = [0x55, 0x1D, 19]
    static let nameConstraints: [UInt8] = [0x55, 0x1D, 30]
    static let authorityKeyIdentifier: [UInt8] = [0x55, 0x1D, 35]
    static let extendedKeyUsage: [UInt8] = [0x55, 0x1D, 37]

    // Keys (RFC 3279, RFC 5480).
    static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]
    static let ellipticCurveKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    /// Writes an identifier with dots: `2.5.4.3`. Numbers that do not fit 64 bits are replaced by a question mark.
    static func dotted(_ content: some Collection<UInt8>) -> String {
        var numbers: [String] = []
        var number: UInt64 = 0
        var isTooLong = false
        for byte in content {
            isTooLong = isTooLong || number >> 57 != 0
            number = number << 7 | UInt64(byte & 0x7F)
            guard byte & 0x80 == 0 else { continue }
            if numbers.isEmpty && !isTooLong {
                let first = min(number / 40, 2)
                numbers = [String(first), String(number - first * 40)]
            } else {
                numbers.append(isTooLong ? "?" : String(number))
            }
            number = 0
            isTooLong = false
        }
        return numbers.joined(separator: ".")
    }

    /// Returns the usual name; else the numbers.
    static func label(_ content: some Collection<UInt8>) -> String {
        let dotted = dotted(content)
        return labels[dotted] ?? dotted
    }

    private static let labels = [
        "2.5.4.3": "Common Name", "2.5.4.4": "Surname", "2.5.4.5": "Serial Number", "2.5.4.6": "Country or Region",
        "2.5.4.7": "Locality", "2.5.4.8": "State/Province", "2.5.4.9": "Street Address", "2.5.4.10": "Organisation",
        "2.5.4.11": "Organisational Unit", "2.5.4.12": "Title", "2.5.4.13": "Description", "2.5.4.17": "Postal Code",
        "2.5.4.42": "Given Name", "2.5.4.46": "DN Qualifier", "1.2.840.113549.1.9.1": "Email Address",
        "0.9.2342.19200300.100.1.1": "User ID", "0.9.2342.19200300.100.1.25": "Domain Component",
        "2.5.29.14": "Subject Key Identifier", "2.5.29.15": "Key Usage", "2.5.29.16": "Private Key Usage Period",
        "2.5.29.17": "Subject Alternative Name", "2.5.29.18": "Issuer Alternative Name",
        "2.5.29.19": "Basic Constraints", "2.5.29.30": "Name Constraints", "2.5.29.31": "CRL Distribution Points",
        "2.5.29.32": "Certificate Policies", "2.5.29.33": "Policy Mappings",
        "2.5.29.35": "Authority Key Identifier", "2.5.29.36": "Policy Constraints",
        "2.5.29.37": "Extended Key Usage", "1.3.6.1.5.5.7.1.1": "Certificate Authority Information Access",
        "1.3.6.1.4.1.11129.2.4.2": "Embedded Signed Certificate Timestamp List",
        "1.3.6.1.5.5.7.3.1": "Server Authentication", "1.3.6.1.5.5.7.3.2": "Client Authentication",
        "1.3.6.1.5.5.7.3.3": "Code Signing", "1.3.6.1.5.5.7.3.4": "Email Protection",
        "1.3.6.1.5.5.7.3.8": "Time Stamping", "1.3.6.1.5.5.7.3.9": "OCSP Signing", "2.5.29.37.0": "Any Purpose",
        "1.2.840.113549.1.1.1": "RSA Encryption", "1.2.840.10045.2.1": "Elliptic Curve Public Key",
        "1.2.840.113549.1.1.5": "SHA-1 with RSA Encryption", "1.2.840.113549.1.1.10": "RSASSA-PSS",
        "1.2.840.113549.1.1.11": "SHA-256 with RSA Encryption",
        "1.2.840.113549.1.1.12": "SHA-384 with RSA Encryption",
        "1.2.840.113549.1.1.13": "SHA-512 with RSA Encryption", "1.2.840.10045.4.3.2": "ECDSA with SHA-256",
        "1.2.840.10045.4.3.3": "ECDSA with SHA-384", "1.2.840.10045.4.3.4": "ECDSA with SHA-512",
        "1.3.101.112": "Ed25519",
    ]
}
