internal import LatchkeyAsymmetricKeys
internal import LatchkeyCryptoSuite
internal import LatchkeyPostQuantumKeys
internal import LatchkeySecretMemory
package import LatchkeySyncCore

/// A reason for which a share gave no key.
package enum ShareFailure: Error, Hashable, Sendable {
    /// The receiver's private keys gave no result.
    case receiver(SyncKeyFailure)
    /// The share is for another receiver, circle, epoch or zone, or was altered.
    case notForReceiver
    /// The epoch does not commit to the key in the share.
    case otherCommitment
    /// The share contains another circle secret than an earlier one.
    case otherCircleSecret
}

/// The wrapping of zone keys for one receiver, with P-256 and ML-KEM-768: a recorded share stays safe unless both are
/// broken.
///
/// Point of P-256 (65) || ciphertext of ML-KEM-768 (1,088) || wrapped keys (40 or 72).
package struct ZoneShare {
    private let circle: CircleIdentifier
    private let commitments: ZoneCommitments
    private let receiver: CircleParty

    private static let pointByteCount = P256PublicKey.byteCount
    private static let ciphertextEnd = ShareAFormat.byteCount - ZoneKey.byteCount - AESKeyWrap.overhead

    /// - Parameter commitments: those of the epoch. They bind the share to its number, too.
    package init(in circle: CircleIdentifier, _ commitments: ZoneCommitments, for receiver: CircleParty) {
        self.circle = circle
        self.commitments = commitments
        self.receiver = receiver
    }

    /// Wraps the keys of an epoch. Returns nil if the receiver's public keys are not valid: a device can be admitted with
    /// any bytes.
    package func sealed(_ keys: EpochKeys, for publicKeys: PerZone<ReceivePublicKeys>) -> ZoneShares? {
        let both = keys.c.secret.appending(keys.circleSecret.secret, count: CircleSecret.byteCount)
        guard let a = sealed(keys.a.secret, .a, for: publicKeys.a), let c = sealed(both, .c, for: publicKeys.c),
            let shareA = FixedBytes<ShareAFormat>(a), let shareC = FixedBytes<ShareCFormat>(c)
        else { return nil }
        return ZoneShares(a: shareA, c: shareC)
    }

    /// Opens the share of zone A, and compares the key with the epoch's commitment.
    package func openedA(
        _ shares: ZoneShares, of epoch: Epoch, with receiver: some ShareReceiving
    ) throws(ShareFailure) -> ZoneKey {
        guard let key = ZoneKey(try opened(shares.a.bytes, .a, with: receiver)) else { throw .notForReceiver }
        guard ZoneCommitment.covers(key, circle, epoch) else { throw .otherCommitment }
        return key
    }

    /// Opens the share of zone C, and compares the key and the circle secret with the epoch's commitment.
    package func openedC(
        _ shares: ZoneShares, of epoch: Epoch, with receiver: some ShareReceiving
    ) throws(ShareFailure) -> (key: ZoneKey, circleSecret: CircleSecret) {
        let both = try opened(shares.c.bytes, .c, with: receiver)
        guard both.count == ZoneKey.byteCount + CircleSecret.byteCount,
            let key = ZoneKey(both.prefix(ZoneKey.byteCount)),
            let circleSecret = CircleSecret(both.slice(ZoneKey.byteCount..<both.count))
        else { throw .notForReceiver }
        guard ZoneCommitment.covers(key, circleSecret, circle, epoch) else { throw .otherCommitment }
        return (key, circleSecret)
    }

    private func sealed(_ content: SecretBox, _ zone: ZoneClass, for publicKeys: ReceivePublicKeys) -> [UInt8]? {
        guard let peer = PublicKey(publicKeys.agreement),
            let encapsulated = MLKEM768Encapsulation.encapsulate(for: publicKeys.encapsulation.bytes),
            let ephemeral = try? PrivateKey(generating: .ellipticCurve(.p256)),
            let agreed = try? ephemeral.agree(with: peer)
        else { return nil }
        let head = ephemeral.publicKey.externalRepresentation + encapsulated.ciphertext
        let key = wrappingKey(agreed, encapsulated.secret, head: head, zone, publicKeys)
        return head + AESKeyWrap.wrap(content, with: key)
    }

    private func opened(
        _ share: [UInt8], _ zone: ZoneClass, with receiver: some ShareReceiving
    ) throws(ShareFailure) -> SecretBox {
        let head = Array(share[..<Self.ciphertextEnd])
        guard let point = P256PublicKey(head[..<Self.pointByteCount]) else { throw .notForReceiver }
        let (agreed, encapsulated): (SecretBox, SecretBox)
        do throws(SyncKeyFailure) {
            agreed = try receiver.agree(with: point)
            encapsulated = try receiver.decapsulate(Array(head[Self.pointByteCount...]))
        } catch {
            throw .receiver(error)
        }
        let key = wrappingKey(agreed, encapsulated, head: head, zone, receiver.publicKeys)
        do throws(CryptoFailure) {
            return try AESKeyWrap.unwrap(Array(share[Self.ciphertextEnd...]), with: key)
        } catch {
            throw .notForReceiver
        }
    }

    private func wrappingKey(
        _ agreed: SecretBox, _ encapsulated: SecretBox, head: [UInt8], _ zone: ZoneClass,
        _ publicKeys: ReceivePublicKeys
    ) -> SecretBox {
        let info = SyncInfo(.share).adding(circle).adding(commitments.bytes).adding(zone).adding(receiver.bytes)
            .adding(sha256(head + publicKeys.bytes))
        return agreed.appending(encapsulated, count: encapsulated.count).derived(info)
    }
}
