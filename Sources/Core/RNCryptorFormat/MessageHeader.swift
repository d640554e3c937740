package import LatchkeyCryptoSuite

/// The kind of credentials of a message; the number is that of the header's second byte.
package enum CredentialKind: UInt8, Sendable, CaseIterable {
    case keys = 0
    case password = 1
}

/// The first bytes of a message: version, kind of credentials, salts of the password, initialisation vector.
package struct MessageHeader: Sendable, Equatable {
    package enum Version: UInt8, Sendable, CaseIterable {
        case one = 1
        case two = 2
        case three = 3
    }

    /// The salts that derive two keys from one password.
    package struct Salts: Sendable, Equatable {
        package static let byteCount = 8

        package let encryption: [UInt8]
        package let authentication: [UInt8]

        package init(encryption: [UInt8], authentication: [UInt8]) {
            precondition(encryption.count == Self.byteCount && authentication.count == Self.byteCount, "8 bytes each")
            self.encryption = encryption
            self.authentication = authentication
        }
    }

    /// The number of bytes that is enough to parse any header: 34.
    package static let longestByteCount = byteCount(.password)
    /// Version and kind, which determine the length of the rest.
    package static let preambleByteCount = 2
    package static let vectorByteCount = 16

    package let version: Version
    /// Nil in a message with keys.
    package let salts: Salts?
    package let initialisationVector: [UInt8]

    package init(version: Version = .three, salts: Salts?, initialisationVector: [UInt8]) {
        precondition(initialisationVector.count == Self.vectorByteCount, "an initialisation vector has 16 bytes")
        self.version = version
        self.salts = salts
        self.initialisationVector = initialisationVector
    }

    /// Makes the header of a new message: version 3, random salts and vector.
    package init(_ kind: CredentialKind, entropy: some Entropy) {
        let salts: Salts? =
            switch kind {
            case .keys: nil
            case .password:
                Salts(encryption: entropy.bytes(Salts.byteCount), authentication: entropy.bytes(Salts.byteCount))
            }
        self.init(salts: salts, initialisationVector: entropy.bytes(Self.vectorByteCount))
    }

    package var kind: CredentialKind { salts == nil ? .keys : .password }
    package var byteCount: Int { Self.byteCount(kind) }

    /// The encoded header.
    package var bytes: [UInt8] {
        [version.rawValue, kind.rawValue] + (salts.map { $0.encryption + $0.authentication } ?? [])
            + initialisationVector
    }

    /// 34 with a password, 18 with keys.
    package static func byteCount(_ kind: CredentialKind) -> Int {
        preambleByteCount + (kind == .password ? 2 * Salts.byteCount : 0) + vectorByteCount
    }
}
