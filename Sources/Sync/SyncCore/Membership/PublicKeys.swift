internal import LatchkeyCryptoSuite

/// The length of a point of P-256 as in X9.63, uncompressed.
package enum P256PointFormat: FixedFormat {
    package static let byteCount = 65
    package static let firstByte: UInt8? = 4
}

/// The length of an encapsulation key of ML-KEM-768.
package enum MLKEMKeyFormat: FixedFormat {
    package static let byteCount = 1184
}

package typealias P256PublicKey = FixedBytes<P256PointFormat>
package typealias MLKEMPublicKey = FixedBytes<MLKEMKeyFormat>

/// The two public keys for which a zone key is wrapped.
package struct ReceivePublicKeys: Hashable, Sendable {
    package let agreement: P256PublicKey
    package let encapsulation: MLKEMPublicKey

    package init(agreement: P256PublicKey, encapsulation: MLKEMPublicKey) {
        self.agreement = agreement
        self.encapsulation = encapsulation
    }

    package var bytes: [UInt8] { agreement.bytes + encapsulation.bytes }

    fileprivate init?(_ reader: inout FixedBytesReader) {
        guard let agreement = reader.next(P256PublicKey.self), let encapsulation = reader.next(MLKEMPublicKey.self)
        else {
            return nil
        }
        self.init(agreement: agreement, encapsulation: encapsulation)
    }
}

/// The six public keys of a device.
package struct DevicePublicKeys: Hashable, Sendable {
    private static let version: UInt8 = 1

    /// For statements that change membership, recovery or settings.
    package let statement: P256PublicKey
    /// For heads, segments, epochs and shares.
    package let log: P256PublicKey
    package let receiveA: ReceivePublicKeys
    package let receiveC: ReceivePublicKeys
    /// The first 16 bytes of SHA-256 over a version byte and the keys.
    package let identifier: DeviceIdentifier

    package init(
        statement: P256PublicKey, log: P256PublicKey, receiveA: ReceivePublicKeys, receiveC: ReceivePublicKeys
    ) {
        self.statement = statement
        self.log = log
        self.receiveA = receiveA
        self.receiveC = receiveC
        identifier = Identifier(
            hashing: [Self.version] + statement.bytes + log.bytes + receiveA.bytes + receiveC.bytes)
    }

    package var bytes: [UInt8] { statement.bytes + log.bytes + receiveA.bytes + receiveC.bytes }

    init(parsing bytes: [UInt8], field: String) throws(StatementFailure) {
        var reader = FixedBytesReader(bytes)
        guard let statement = reader.next(P256PublicKey.self), let log = reader.next(P256PublicKey.self),
            let receiveA = ReceivePublicKeys(&reader), let receiveC = ReceivePublicKeys(&reader), reader.isAtEnd
        else { throw .badValue(field: field) }
        self.init(statement: statement, log: log, receiveA: receiveA, receiveC: receiveC)
    }
}

/// The subject of ``RecoveryIdentifier``. It has no values.
package enum RecoverySubject {}
/// The first 16 bytes of SHA-256 over a version byte and the public recovery keys.
package typealias RecoveryIdentifier = Identifier<RecoverySubject>

/// The public keys that are derived from a recovery code.
package struct RecoveryPublicKeys: Hashable, Sendable {
    private static let version: UInt8 = 1

    package let signing: P256PublicKey
    package let receive: ReceivePublicKeys
    package let identifier: RecoveryIdentifier

    package init(signing: P256PublicKey, receive: ReceivePublicKeys) {
        self.signing = signing
        self.receive = receive
        identifier = Identifier(hashing: [Self.version] + signing.bytes + receive.bytes)
    }

    var bytes: [UInt8] { signing.bytes + receive.bytes }

    init(parsing bytes: [UInt8], field: String) throws(StatementFailure) {
        var reader = FixedBytesReader(bytes)
        guard let signing = reader.next(P256PublicKey.self), let receive = ReceivePublicKeys(&reader), reader.isAtEnd
        else { throw .badValue(field: field) }
        self.init(signing: signing, receive: receive)
    }
}

extension Identifier {
    /// The first 16 bytes of SHA-256 over `bytes`.
    fileprivate init(hashing bytes: [UInt8]) {
        guard let identifier = Self(sha256(bytes).prefix(Self.byteCount)) else {
            preconditionFailure("SHA-256 has more than 16 bytes")
        }
        self = identifier
    }
}
