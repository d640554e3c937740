import Crypto
import FoundationEssentials

/// The public half of a key of P-256 in the form that swift-crypto verifies with, which takes five sixths of the time
/// of libcrypto 3.0. Nothing here is secret.
struct P256Verification: Sendable {
    private let key: P256.Signing.PublicKey

    /// Nil if the bytes are no uncompressed point of the curve.
    init?(_ point: [UInt8]) {
        guard let key = try? P256.Signing.PublicKey(x963Representation: point) else { return nil }
        self.key = key
    }

    /// Whether these are the bytes of r and s over the digest, of which the first 32 bytes count.
    func isSignature(_ raw: [UInt8], over digest: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else { return false }
        return key.isValidSignature(signature, for: AnyDigest(bytes: digest))
    }

    /// Of any length: what is signed was hashed by whoever asks, or is no digest at all.
    @_implementationOnly private struct AnyDigest: Digest {
        /// Nothing that verifies asks for it.
        static var byteCount: Int { 32 }

        let bytes: [UInt8]

        var description: String { "\(bytes.count) bytes" }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            unsafe try bytes.withUnsafeBytes(body)
        }
    }
}
