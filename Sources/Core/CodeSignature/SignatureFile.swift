/// A signature beside its program: a file named after the digest of the program it is for.
package enum SignatureFile {
    /// Where signatures of the whole machine lie.
    package static let systemDirectory = "/etc/latchkey/signatures"

    package static func name(forDigest digest: [UInt8]) -> String {
        digest.hexadecimal + ".lksig"
    }
}

extension Sequence<UInt8> {
    /// Two small digits for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
