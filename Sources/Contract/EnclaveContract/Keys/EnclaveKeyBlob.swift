package import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyKeybag

/// The reason why bytes are not a valid enclave key.
package enum EnclaveKeyBlobFailure: Error, Sendable, Equatable {
    case truncated
    case unknownVersion(UInt8)
    /// A field with a fixed set of values has another value.
    case badValue(field: String, found: UInt8)
    case tooLarge(field: String, found: Int, limit: Int)
    /// The access control is not one of a key: it cannot be parsed, is not bound, is not for private keys, or has
    /// another class.
    case badAccessControl
    /// The length of the wrapped secret differs from the one for its kind and access control.
    case badWrappedLength(found: Int, expected: Int)
}

/// A key of the enclave as stored outside of it (`Docs/Formats/enclave-key.md`): its description in clear, sealed by
/// the device, and its private number or seed, which only the enclave that made it can unwrap.
///
/// A parsed blob has the right form only. The seal shows, even on a locked device, whether this device wrote the clear
/// part. Unwrapping shows whether the secret belongs to it.
package struct EnclaveKeyBlob: Sendable, Equatable {
    package let kind: EnclaveKeyKind
    package let identifier: EnclaveKeyIdentifier
    package let keyClass: KeyClass
    /// Has the length for the kind; nothing else about it is checked.
    package let publicKey: [UInt8]
    /// Always bound, and for private keys.
    package let accessControl: AccessControl
    /// The encoding of all properties above. The wrapping of the secret is bound to it.
    package let head: [UInt8]
    /// The device's seal of the head.
    package let seal: [UInt8]
    package let wrappedSecret: [UInt8]

    package var bytes: [UInt8] { head + seal + wrappedSecret }

    /// - Parameters:
    ///   - seal: seals the head.
    ///   - wrap: wraps the secret; its argument is the bytes that the wrapping is bound to.
    /// - Returns: nil if a key cannot have this access control or public key.
    package init?<Failure: Error>(
        kind: EnclaveKeyKind, identifier: EnclaveKeyIdentifier, publicKey: [UInt8], accessControl: AccessControl,
        seal: (_ head: [UInt8]) -> [UInt8], wrap: (_ binding: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard publicKey.count == kind.publicKeyByteCount, let keyClass = Self.keyClass(for: accessControl) else {
            return nil
        }
        let control = accessControl.serialised
        let length = [UInt8(truncatingIfNeeded: control.count >> 8), UInt8(truncatingIfNeeded: control.count)]
        self.kind = kind
        self.identifier = identifier
        self.keyClass = keyClass
        self.publicKey = publicKey
        self.accessControl = accessControl
        let version = Version(of: kind)
        head =
            [version.rawValue, keyClass.rawValue] + identifier.bytes + (version == .anyKind ? [kind.rawValue] : [])
            + publicKey + length + control
        self.seal = seal(head)
        wrappedSecret = try wrap(head)
    }

    /// Parses untrusted bytes. Accepted bytes are written again unchanged.
    package init(parsing bytes: [UInt8]) throws(EnclaveKeyBlobFailure) {
        let limit = EnclaveLimits.keyBlobByteCount
        guard bytes.count <= limit else { throw .tooLarge(field: "blob", found: bytes.count, limit: limit) }
        guard let number = bytes.first else { throw .truncated }
        guard let version = Version(rawValue: number) else { throw .unknownVersion(number) }
        let kind = try Self.kind(in: bytes, version)
        let place = Place(version, kind)
        guard bytes.count >= place.accessControl, let identifier = EnclaveKeyIdentifier(Array(bytes[Place.identifier]))
        else {
            throw .truncated
        }
        guard let keyClass = KeyClass(rawValue: bytes[Place.keyClass]) else {
            throw .badValue(field: "class", found: bytes[Place.keyClass])
        }
        let publicKey = Array(bytes[place.publicKey])
        guard kind != .p256 || publicKey.first == 4 else {
            throw .badValue(field: "public key", found: publicKey.first ?? 0)
        }
        let controlByteCount = Int(bytes[place.length.lowerBound]) << 8 | Int(bytes[place.length.lowerBound + 1])
        guard controlByteCount <= bytes.count - place.accessControl else { throw .truncated }
        let end = place.accessControl + controlByteCount
        let serialised = Array(bytes[place.accessControl..<end])
        guard let control = AccessControl(exactly: serialised),
            Self.keyClass(for: control) == keyClass
        else { throw .badAccessControl }
        let sealEnd = end + Self.sealByteCount
        guard bytes.count >= sealEnd else { throw .truncated }
        let expected = Self.wrappedByteCount(of: kind, for: control)
        guard bytes.count - sealEnd == expected else {
            throw .badWrappedLength(found: bytes.count - sealEnd, expected: expected)
        }
        self.kind = kind
        self.identifier = identifier
        self.keyClass = keyClass
        self.publicKey = publicKey
        accessControl = control
        head = Array(bytes[..<end])
        seal = Array(bytes[end..<sealEnd])
        wrappedSecret = Array(bytes[sealEnd...])
    }

    /// The first byte. Every key that version 1 can describe has version 1.
    private enum Version: UInt8 {
        case p256 = 1
        /// A field names the kind, which must not have a version of its own.
        case anyKind = 2

        init(of kind: EnclaveKeyKind) {
            self = kind == .p256 ? .p256 : .anyKind
        }
    }

    private struct Place {
        static let keyClass = 1
        static let identifier = 2..<2 + EnclaveKeyIdentifier.byteCount
        static let kind = identifier.upperBound

        let publicKey: Range<Int>
        let length: Range<Int>
        let accessControl: Int

        init(_ version: Version, _ kind: EnclaveKeyKind) {
            let start = version == .anyKind ? Self.kind + 1 : Self.kind
            publicKey = start..<start + kind.publicKeyByteCount
            length = publicKey.upperBound..<publicKey.upperBound + 2
            accessControl = length.upperBound
        }
    }

    private static func kind(in bytes: [UInt8], _ version: Version) throws(EnclaveKeyBlobFailure) -> EnclaveKeyKind {
        guard version == .anyKind else { return .p256 }
        guard bytes.count > Place.kind else { throw .truncated }
        guard let kind = EnclaveKeyKind(rawValue: bytes[Place.kind]), Version(of: kind) == version else {
            throw .badValue(field: "kind", found: bytes[Place.kind])
        }
        return kind
    }

    private static let sealByteCount = HMACSHA256.byteCount

    /// Each layer adds the check of its wrapping.
    private static func wrappedByteCount(of kind: EnclaveKeyKind, for control: AccessControl) -> Int {
        kind.secretByteCount + (control.needsApplicationPassword ? 3 : 2) * AESKeyWrap.overhead
    }

    /// Returns nil if a key cannot have this access control.
    private static func keyClass(for control: AccessControl) -> KeyClass? {
        guard control.isBound, control.isForPrivateKeys else { return nil }
        return KeyClass(control.protection)
    }
}
