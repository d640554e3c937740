import LatchkeyEncoding

/// A signature beside its program: a file named after the digest of the program it is for.
package enum SignatureFile {
    /// Where signatures of the whole machine lie.
    package static let systemDirectory = "/etc/latchkey/signatures"

    package static func name(forDigest digest: [UInt8]) -> String {
        Hexadecimal.text(digest) + ".lksig"
    }
}
