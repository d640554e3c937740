/// Why bytes are no certificate, or no PKCS#12 file.
package enum CertificateFailure: Error, Sendable, Equatable {
    /// The reason is for people.
    case unreadable(reason: String)
    /// More than is taken: bytes, nesting, bags, rounds of a derivation.
    case tooLarge(what: String)
    /// The check value of the file does not fit: wrong passphrase, or altered.
    case wrongPassphrase
    case unsupported(what: String)
}
