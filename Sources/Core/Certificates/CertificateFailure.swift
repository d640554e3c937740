/// A reason for rejecting bytes as a certificate or PKCS#12 file.
package enum CertificateFailure: Error, Sendable, Equatable {
    /// The reason is for people.
    case unreadable(reason: String)
    /// A limit was exceeded: bytes, nesting, bags, rounds of a derivation.
    case tooLarge(what: String)
    /// The check value of the file does not match: wrong passphrase, or altered.
    case wrongPassphrase
    case unsupported(what: String)
}
