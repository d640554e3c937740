import LatchkeyEncoding

/// A detached signature: a file named after the digest of its program.
package enum SignatureFile {
    /// The directory for signatures of the whole machine.
    package static let systemDirectory = "/etc/latchkey/signatures"

    package static func name(forDigest digest: [UInt8]) -> String {
        Hexadecimal.text(digest) + ".lksig"
    }
}
