package import LatchkeyAccessControl
package import LatchkeyKeybag

/// Why bytes are no key of the enclave.
package enum EnclaveKeyBlobFailure: Error, Sendable, Equatable {
    case truncated
    case unknownVersion(UInt8)
    /// A field that holds one of few values holds another.
    case badValue(field: String, found: UInt8)
    case tooLarge(field: String, found: Int, limit: Int)
    /// None that a key can have: bytes of another form, not bound, not for private keys, or of another class.
    case badAccessControl
    /// The wrapped secret has one length for each kind and access control.
    case badWrappedLength(found: Int, expected: Int)
}

/// A key of the enclave as it is kept outside (`Docs/Formats/enclave-key.md`): everything about it in the clear and
/// sealed, and its number or seed, which only the enclave that made it can unwrap.
///
/// Parsed bytes have the right form. That this device wrote what is in the clear shows by its seal, locked or not;
/// that the secret belongs to it shows when it is unwrapped.
package struct EnclaveKeyBlob: Sendable, Equatable {
    package let kind: EnclaveKeyKind
    package let identifier: EnclaveKeyIdentifier
    package let keyClass: KeyClass
    /// Of the kind's length; nobody has checked more.
    package let publicKey: [UInt8]
    /// Bound, and for private keys.
    package let accessControl: AccessControl
    /// All of the above as bytes; mixed into the wrapping of the secret.
    let head: [UInt8]
    /// Over the head, by this device.
    let seal: [UInt8]
    let wrappedSecret: [UInt8]

    package var bytes: [UInt8] { head + seal + wrappedSecret }

    /// - Parameters:
    ///   - seal: seals the head.
    ///   - wrap: wraps the secret; takes the bytes that the wrapping is bound to.
    /// - Returns: nil where no key can have this access control or public key.
    init?<Failure: Error>(
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

    /// Reads bytes that nobody has checked. What is accepted is written as the same bytes.
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

    /// The first byte. What can be written as version 1 is.
    private enum Version: UInt8 {
        case p256 = 1
        /// Names the kind, which is none that has a version of its own.
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

    /// Nil if no key can have this access control.
    private static func keyClass(for control: AccessControl) -> KeyClass? {
        guard control.isBound, control.isForPrivateKeys else { return nil }
        return KeyClass(control.protection)
    }
}
