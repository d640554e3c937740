import LatchkeyCryptoSuite
import LatchkeyEnclaveContract

/// The digest that identifies an enrolment.
enum EnrolmentDigest {
    /// Returns an empty digest if no finger is enrolled.
    /// - Parameter templates: a digest of the reader's templates; nil if only the names are known.
    static func digest(of fingers: [Finger], templates: [UInt8]?) -> [UInt8] {
        guard !fingers.isEmpty else { return [] }
        var digest = RunningDigest(.sha256)
        digest.update(Array("latchkey enrolment 1\0".utf8))
        for finger in fingers { digest.update(Array((finger.rawValue + "\0").utf8)) }
        digest.update([templates == nil ? 0 : 1])
        digest.update(templates ?? [])
        return digest.finish()
    }
}
