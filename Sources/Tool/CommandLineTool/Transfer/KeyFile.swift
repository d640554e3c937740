package import LatchkeyAsymmetricKeys
package import LatchkeyCertificates

/// The forms in which keys, certificates and identities stand in files.
package enum KeyFileFormat: String, Sendable, CaseIterable {
    case pem
    case der
    case pkcs8
    case pkcs12
}

/// The content of a file with keys and certificates.
package struct KeyFile: Sendable {
    package var certificates: [Certificate] = []
    package var privateKeys: [PrivateKey] = []
    package var publicKeys: [PublicKey] = []
    package var identities: [PKCS12File.Identity] = []
    /// True if a private key is in it without a passphrase.
    package var isInClear = false
    /// Sentences for people about what was left out.
    package var notes: [String] = []

    package var isEmpty: Bool {
        certificates.isEmpty && privateKeys.isEmpty && publicKeys.isEmpty && identities.isEmpty
    }

    /// The content of several files together.
    package static func + (one: KeyFile, other: KeyFile) -> KeyFile {
        var sum = one
        sum.certificates += other.certificates
        sum.privateKeys += other.privateKeys
        sum.publicKeys += other.publicKeys
        sum.identities += other.identities
        sum.isInClear = one.isInClear || other.isInClear
        sum.notes += other.notes
        return sum
    }
}
