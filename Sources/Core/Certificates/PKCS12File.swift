package import LatchkeyAsymmetricKeys

/// The content of a PKCS#12 file.
package struct PKCS12File: Sendable {
    package struct Identity: Sendable {
        package let key: PrivateKey
        package let certificate: Certificate
        /// `friendlyName` and `localKeyID` of its bags.
        package let label: String?
        package let keyIdentifier: [UInt8]?

        package init(key: PrivateKey, certificate: Certificate, label: String?, keyIdentifier: [UInt8]?) {
            self.key = key
            self.certificate = certificate
            self.label = label
            self.keyIdentifier = keyIdentifier
        }
    }

    /// The size limit of a file.
    package static let byteLimit = 16 << 20

    /// Each key with the certificate that it belongs to, in the order of the file.
    package let identities: [Identity]
    /// All certificates, in the order of the file.
    package let certificates: [Certificate]
    /// Keys for which there is no certificate.
    package let otherKeys: [PrivateKey]

    package init(identities: [Identity], certificates: [Certificate], otherKeys: [PrivateKey] = []) {
        self.identities = identities
        self.certificates = certificates
        self.otherKeys = otherKeys
    }

    /// Pairs keys with certificates: the public key must be the same; if several certificates have it, `localKeyID`
    /// decides, then the order of the file.
    init(keys: [SafeBag<PrivateKey>], certificates: [SafeBag<Certificate>]) {
        var identities: [Identity] = []
        var otherKeys: [PrivateKey] = []
        let owners = Dictionary(grouping: certificates) { $0.content.publicKeyDigest }
        for key in keys {
            let fitting = owners[key.content.publicKey.digest] ?? []
            let named = fitting.first { $0.keyIdentifier != nil && $0.keyIdentifier == key.keyIdentifier }
            guard let owner = named ?? fitting.first else {
                otherKeys.append(key.content)
                continue
            }
            identities.append(
                Identity(
                    key: key.content, certificate: owner.content, label: key.label ?? owner.label,
                    keyIdentifier: key.keyIdentifier ?? owner.keyIdentifier))
        }
        self.init(identities: identities, certificates: certificates.map(\.content), otherKeys: otherKeys)
    }
}

/// One entry of a PKCS#12 file with its attributes.
struct SafeBag<Content: Sendable>: Sendable {
    let content: Content
    /// `friendlyName` and `localKeyID`.
    let label: String?
    let keyIdentifier: [UInt8]?
}
