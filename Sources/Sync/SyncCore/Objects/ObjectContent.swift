internal import LatchkeyCryptoSuite

/// An object of the store without its signature: `LKSY` || version (1) || kind (1) || body length (4, big-endian) || body.
package struct ObjectContent: Hashable, Sendable {
    package static let magic = Array("LKSY".utf8)
    package static let version: UInt8 = 1
    /// Of the signature's length, which follows the body.
    static let signatureLengthByteCount = 2
    static let headerByteCount = 10
    private static let signingPrefix = Array("latchkey sync ".utf8)

    package let kind: ObjectKind
    package let body: [UInt8]

    /// Throws ``ObjectFailure/tooLarge(found:limit:)`` if the object would be too large even without a signature.
    package init(kind: ObjectKind, body: [UInt8]) throws(ObjectFailure) {
        let count = Self.headerByteCount + body.count + Self.signatureLengthByteCount
        guard count <= kind.byteLimit else { throw .tooLarge(found: count, limit: kind.byteLimit) }
        self.kind = kind
        self.body = body
    }

    package var bytes: [UInt8] {
        Self.magic + [Self.version, kind.rawValue] + UInt32(body.count).bigEndianBytes + body
    }

    /// The bytes that are signed: the prefix keeps a signature from being valid for anything else.
    package var signedBytes: [UInt8] {
        Self.signingPrefix + [kind.rawValue, 0] + bytes
    }

    /// The identity of the object.
    ///
    /// The signature is not part of it: a store can change every ECDSA signature into a second valid one. That would make two objects of
    /// one, and evidence against an honest device.
    package var hash: ObjectHash {
        guard let hash = ObjectHash(sha256(bytes)) else { preconditionFailure("SHA-256 has 32 bytes") }
        return hash
    }
}
