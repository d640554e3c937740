package import AccessControl
package import Keybag

/// Why bytes are no key of the enclave.
package enum EnclaveKeyBlobFailure: Error, Sendable, Equatable {
    case truncated
    case unknownVersion(UInt8)
    /// A field that holds one of few values holds another.
    case badValue(field: String, found: UInt8)
    case tooLarge(field: String, found: Int, limit: Int)
    /// None that a key can have: bytes of another form, not bound, not for private keys, or of another class.
    case badAccessControl
    /// The wrapped number has one length for each access control.
    case badWrappedLength(found: Int, expected: Int)
}

/// A key of the enclave as it is kept outside (`Docs/Formats/enclave-key.md`): everything about it in the clear and
/// sealed, and its number, which only the enclave that made it can unwrap.
///
/// Parsed bytes have the right form. That this device wrote what is in the clear shows by its seal, locked or not;
/// that the number belongs to it shows when it is unwrapped.
package struct EnclaveKeyBlob: Sendable, Equatable {
    package static let version: UInt8 = 1
    package static let publicKeyByteCount = 65

    package let identifier: EnclaveKeyIdentifier
    package let keyClass: KeyClass
    /// An uncompressed point, nobody has checked which.
    package let publicKey: [UInt8]
    /// Bound, and for private keys.
    package let accessControl: AccessControl
    /// All of the above as bytes; mixed into the wrapping of the number.
    let head: [UInt8]
    /// Over the head, by this device.
    let seal: [UInt8]
    let wrappedNumber: [UInt8]

    package var bytes: [UInt8] { head + seal + wrappedNumber }

    /// - Parameters:
    ///   - seal: seals the head.
    ///   - wrap: wraps the number; takes the bytes that the wrapping is bound to.
    /// - Returns: nil where no key can have this access control.
    init?<Failure: Error>(
        identifier: EnclaveKeyIdentifier, publicKey: [UInt8], accessControl: AccessControl,
        seal: (_ head: [UInt8]) -> [UInt8], wrap: (_ binding: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard publicKey.count == Self.publicKeyByteCount, let keyClass = Self.keyClass(for: accessControl) else {
            return nil
        }
        let control = accessControl.serialised
        let length = [UInt8(truncatingIfNeeded: control.count >> 8), UInt8(truncatingIfNeeded: control.count)]
        self.identifier = identifier
        self.keyClass = keyClass
        self.publicKey = publicKey
        self.accessControl = accessControl
        head = [Self.version, keyClass.rawValue] + identifier.bytes + publicKey + length + control
        self.seal = seal(head)
        wrappedNumber = try wrap(head)
    }

    /// Reads bytes that nobody has checked. What is accepted is written as the same bytes.
    package init(parsing bytes: [UInt8]) throws(EnclaveKeyBlobFailure) {
        let limit = EnclaveLimits.keyBlobByteCount
        guard bytes.count <= limit else { throw .tooLarge(field: "blob", found: bytes.count, limit: limit) }
        guard let version = bytes.first else { throw .truncated }
        guard version == Self.version else { throw .unknownVersion(version) }
        guard bytes.count >= Place.accessControl, let identifier = EnclaveKeyIdentifier(Array(bytes[Place.identifier]))
        else {
            throw .truncated
        }
        guard let keyClass = KeyClass(rawValue: bytes[Place.keyClass]) else {
            throw .badValue(field: "class", found: bytes[Place.keyClass])
        }
        let publicKey = Array(bytes[Place.publicKey])
        guard publicKey.first == 4 else { throw .badValue(field: "public key", found: publicKey.first ?? 0) }
        let controlByteCount = Int(bytes[Place.length.lowerBound]) << 8 | Int(bytes[Place.length.lowerBound + 1])
        guard controlByteCount <= bytes.count - Place.accessControl else { throw .truncated }
        let end = Place.accessControl + controlByteCount
        let serialised = Array(bytes[Place.accessControl..<end])
        guard let control = try? AccessControl(serialised: serialised), control.serialised == serialised,
            Self.keyClass(for: control) == keyClass
        else { throw .badAccessControl }
        let sealEnd = end + Self.sealByteCount
        guard bytes.count >= sealEnd else { throw .truncated }
        let expected = Self.wrappedByteCount(for: control)
        guard bytes.count - sealEnd == expected else {
            throw .badWrappedLength(found: bytes.count - sealEnd, expected: expected)
        }
        self.identifier = identifier
        self.keyClass = keyClass
        self.publicKey = publicKey
        accessControl = control
        head = Array(bytes[..<end])
        seal = Array(bytes[end..<sealEnd])
        wrappedNumber = Array(bytes[sealEnd...])
    }

    private enum Place {
        static let keyClass = 1
        static let identifier = 2..<2 + EnclaveKeyIdentifier.byteCount
        static let publicKey = identifier.upperBound..<identifier.upperBound + publicKeyByteCount
        static let length = publicKey.upperBound..<publicKey.upperBound + 2
        static let accessControl = length.upperBound
    }

    /// Nil if no key can have this access control.
    private static func keyClass(for control: AccessControl) -> KeyClass? {
        guard control.isBound, control.isForPrivateKeys else { return nil }
        return KeyClass(accessibleName: control.protection.rawValue)
    }
}
