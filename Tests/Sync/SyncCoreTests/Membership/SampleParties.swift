import LatchkeyCryptoSuite
import LatchkeyTestSupport

@testable import LatchkeySyncCore

/// Devices and recovery keys with fixed keys, by number.
enum SampleParties {
    static let devices: [DevicePublicKeys] = (0..<80).map { deviceKeys(seed: UInt64($0)) }
    static let recoveries: [RecoveryPublicKeys] = (0..<12).map { number in
        var random = SplitMix(seed: 1_000 + UInt64(number))
        return RecoveryPublicKeys(signing: point(&random), receive: receiveKeys(&random))
    }

    static func device(_ number: Int) -> DeviceIdentifier { devices[number].identifier }
    static func recovery(_ number: Int) -> RecoveryIdentifier { recoveries[number].identifier }

    static func deviceKeys(seed: UInt64) -> DevicePublicKeys {
        var random = SplitMix(seed: seed)
        return DevicePublicKeys(
            statement: point(&random), log: point(&random), receiveA: receiveKeys(&random),
            receiveC: receiveKeys(&random))
    }

    static let settings: CircleSettings = {
        guard let settings = try? CircleSettings() else { preconditionFailure("the default settings are valid") }
        return settings
    }()

    static let founding = Founding(keys: devices[0], recovery: recoveries[0], settings: settings)

    static let shares: ZoneShares = {
        var random = SplitMix(seed: 2_000)
        guard let shares = ZoneShares(random.bytes(ZoneShares.byteCount)) else { preconditionFailure("wrong length") }
        return shares
    }()

    static func epoch(
        _ number: UInt32, for recipients: some Sequence<CircleParty>, earlier: [ObjectHash: WrappedZoneKeys] = [:]
    ) -> Epoch {
        let entries = recipients.map { ($0, shares) }
        guard let commitments = try? ZoneCommitments(parsing: [UInt8](repeating: 7, count: 64), field: ""),
            let epoch = try? Epoch(
                number: EpochNumber(number), commitments: commitments,
                shares: Dictionary(entries, uniquingKeysWith: { first, _ in first }), earlier: earlier)
        else { preconditionFailure("the epoch is valid") }
        return epoch
    }

    private static func point(_ random: inout SplitMix) -> P256PublicKey {
        guard let point = P256PublicKey([4] + random.bytes(64)) else { preconditionFailure("wrong length") }
        return point
    }

    private static func receiveKeys(_ random: inout SplitMix) -> ReceivePublicKeys {
        guard let key = MLKEMPublicKey(random.bytes(1184)) else { preconditionFailure("wrong length") }
        return ReceivePublicKeys(agreement: point(&random), encapsulation: key)
    }
}

/// Signatures that need no private key: two hashes of the public key and the message. Everything else is checked as with real ones.
struct HashSignatures: StatementVerifying {
    static func signature(over message: [UInt8], publicKey: P256PublicKey) -> StatementSignature {
        let first = sha256(publicKey.bytes + message)
        guard let signature = StatementSignature(first + sha256(first)) else { preconditionFailure("wrong length") }
        return signature
    }

    func verifies(_ signature: StatementSignature, over message: [UInt8], publicKey: P256PublicKey) -> Bool {
        signature == Self.signature(over: message, publicKey: publicKey)
    }

    /// Signs with the author's key, and with the new recovery key if there is one.
    static func sign(_ statement: Statement, keys: PartyKeys) throws -> SignedStatement {
        let message = try statement.content().signedBytes
        let key: P256PublicKey =
            switch keys {
            case .device(let keys): statement.body.isSignedWithLogKey ? keys.log : keys.statement
            case .recovery(let keys): keys.signing
            }
        return try SignedStatement(
            statement, signature: signature(over: message, publicKey: key),
            newRecoverySignature: statement.body.recoveryKeys.map {
                signature(over: message, publicKey: $0.signing)
            })
    }
}
