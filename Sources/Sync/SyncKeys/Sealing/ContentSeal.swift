package import LatchkeyCryptoSuite
package import LatchkeySecretMemory
package import LatchkeySyncCore

/// A reason for which sealed content was not opened.
package enum SealFailure: Error, Hashable, Sendable {
    /// Another key, header or place, or altered bytes.
    case notAuthentic
    /// A member sealed content that is not padded as it must be.
    case badPadding
}

/// The sealing of segments and of parts of snapshots: AES-256-GCM under a key of their own, with a random nonce.
///
/// Nonce (12) || ciphertext of the padded content || tag (16).
package struct ContentSeal: Sendable {
    /// A piece of sealed content. Each has a key of its own.
    package enum Piece: Hashable, Sendable {
        case segment(Dot)
        /// - Parameters:
        ///   - number: that of the snapshot.
        ///   - part: from 0.
        case snapshotPart(StreamIdentifier, number: UInt64, part: UInt32)

        package var stream: StreamIdentifier {
            switch self {
            case .segment(let dot): dot.stream
            case .snapshotPart(let stream, _, _): stream
            }
        }
    }

    private let key: SecretBox

    /// - Parameters:
    ///   - zoneKey: that of the piece's zone.
    ///   - epoch: the statement of the epoch.
    package init(_ piece: Piece, in circle: CircleIdentifier, _ epoch: ObjectHash, zoneKey: ZoneKey) {
        key = zoneKey.secret.derived(Self.info(of: piece, circle, epoch))
    }

    private static func info(of piece: Piece, _ circle: CircleIdentifier, _ epoch: ObjectHash) -> SyncInfo {
        let purpose: SyncPurpose =
            switch piece {
            case .segment: .segment
            case .snapshotPart: .snapshot
            }
        let place = SyncInfo(purpose).adding(circle).adding(epoch.bytes).adding(piece.stream.device.bytes)
            .adding(piece.stream.zone)
        return switch piece {
        case .segment(let dot): place.adding(dot.number)
        case .snapshotPart(_, let number, let part): place.adding(number).adding(part)
        }
    }

    /// The bytes that sealing adds to padded content.
    package static let overhead = AESGCM.overhead

    /// Returns the length of sealed content.
    package static func sealedByteCount(_ byteCount: Int) -> Int {
        ContentPadding.paddedByteCount(byteCount) + overhead
    }

    /// Pads and seals content.
    /// - Parameter header: the clear part of the object, which is authenticated.
    package func seal(_ content: SecretBox, header: [UInt8], entropy: some Entropy) -> [UInt8] {
        unsafe ContentPadding.padded(content).withBytes { bytes in
            unsafe AESGCM.seal(bytes, key: key, associatedData: header, entropy: entropy)
        }
    }

    /// Opens content into locked memory.
    package func open(_ sealed: [UInt8], header: [UInt8]) throws(SealFailure) -> SecretBox {
        guard let padded = try? AESGCM.open(sealed, key: key, associatedData: header) else { throw .notAuthentic }
        guard let content = ContentPadding.content(of: padded) else { throw .badPadding }
        return content
    }
}
