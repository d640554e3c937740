#if PostQuantum
import Crypto
import FoundationEssentials

/// The public half of a P-256 key in the form with which swift-crypto verifies, which takes five sixths of the time of
/// libcrypto 3.0. Nothing here is secret.
package struct P256Verification: Sendable {
    private let key: P256.Signing.PublicKey

    /// Nil if the bytes are not an uncompressed point of the curve.
    package init?(_ point: [UInt8]) {
        guard let key = try? P256.Signing.PublicKey(x963Representation: point) else { return nil }
        self.key = key
    }

    /// Returns true if these are the bytes of r and s over the digest, of which the first 32 bytes count.
    package func isSignature(_ raw: [UInt8], over digest: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
        return key.isValidSignature(signature, for: AnyDigest(bytes: digest))
    }

    /// A digest of any length: the caller hashed the message, or signs bytes that are not a digest.
    @_implementationOnly private struct AnyDigest: Digest {
        /// Never read when verifying.
        static var byteCount: Int { 32 }

        let bytes: [UInt8]

        var description: String { "\(bytes.count) bytes" }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            unsafe try bytes.withUnsafeBytes(body)
        }
    }
}
#endif
