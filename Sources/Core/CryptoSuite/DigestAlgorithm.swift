/// The digests of signatures, key derivations and certificates.
package enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable {
    case md5 = "MD5"
    case sha1 = "SHA1"
    case sha224 = "SHA224"
    case sha256 = "SHA256"
    case sha384 = "SHA384"
    case sha512 = "SHA512"

    /// Those that have a `SecKeyAlgorithm`.
    package static let ofKeyAlgorithms: [DigestAlgorithm] = [.sha1, .sha224, .sha256, .sha384, .sha512]

    package var name: String { rawValue }

    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
