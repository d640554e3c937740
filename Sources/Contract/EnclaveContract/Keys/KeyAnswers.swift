package import LatchkeySecretMemory

extension MessageNumber {
    static func keyQuestion(_ part: UInt8) -> MessageNumber { MessageNumber(18, part) }
    static func keyAnswer(_ part: UInt8) -> MessageNumber { MessageNumber(11, part) }
    /// A key was not made or used.
    static let keyRefused = keyAnswer(6)
    /// The key's kind does not support the requested operation.
    static let otherKind = keyAnswer(8)
}

/// The answer to a request for a signature.
package enum SignatureAnswer: EnclaveAnswer, Hashable {
    /// ECDSA in ASN.1 DER, or ML-DSA.
    case signed([UInt8])
    case refused(KeyRefusal)
    case lacks(MissingProof)
    /// The key has this kind, which does not support the requested operation. The user was not prompted.
    case otherKind(EnclaveKeyKind)

    private static let signature = MessageNumber.keyAnswer(2)
    private static let byteLimit = EnclaveKeyKind.allCases.compactMap(\.messageSignatureByteCount).max() ?? 0

    package var number: MessageNumber {
        switch self {
        case .signed: Self.signature
        case .refused: .keyRefused
        case .lacks: .proofMissing
        case .otherKind: .otherKind
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .signed(let bytes): writer.bytes(bytes)
        case .refused(let refusal): writer.byte(refusal.rawValue)
        case .lacks(let proof): proof.write(to: &writer)
        case .otherKind(let kind): writer.byte(kind.rawValue)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case Self.signature: self = .signed(try reader.bytes("signature", limit: Self.byteLimit))
        case .keyRefused: self = .refused(try reader.keyRefusal())
        case .proofMissing: self = .lacks(try MissingProof(from: &reader))
        case .otherKind: self = .otherKind(try reader.keyKindOfEnclave())
        default: return nil
        }
    }
}

/// The answer to a key agreement or a decapsulation, whose input may be invalid.
package enum KeyExchangeAnswer: EnclaveAnswer {
    case agreed(SecretBox)
    case refused(KeyRefusal)
    case lacks(MissingProof)
    /// See ``SignatureAnswer/otherKind(_:)``.
    case otherKind(EnclaveKeyKind)
    /// The peer's bytes are not a point of the curve (P-256), or the ciphertext does not have the length for this kind.
    /// The user was not prompted.
    case badInput(EnclaveKeyKind)

    private static let agreedNumber = MessageNumber.keyAnswer(3)
    private static let badPeer = MessageNumber.keyAnswer(7)
    private static let badCiphertext = MessageNumber.keyAnswer(9)

    package var number: MessageNumber {
        switch self {
        case .agreed: Self.agreedNumber
        case .refused: .keyRefused
        case .lacks: .proofMissing
        case .otherKind: .otherKind
        case .badInput(.p256): Self.badPeer
        case .badInput: Self.badCiphertext
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .agreed(let secret): writer.secret(secret)
        case .refused(let refusal): writer.byte(refusal.rawValue)
        case .lacks(let proof): proof.write(to: &writer)
        case .badInput(.p256): break
        case .otherKind(let kind), .badInput(let kind): writer.byte(kind.rawValue)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case Self.agreedNumber: self = .agreed(try reader.key())
        case .keyRefused: self = .refused(try reader.keyRefusal())
        case .proofMissing: self = .lacks(try MissingProof(from: &reader))
        case .otherKind: self = .otherKind(try reader.keyKindOfEnclave())
        case Self.badPeer: self = .badInput(.p256)
        case Self.badCiphertext:
            let kind = try reader.keyKindOfEnclave()
            guard kind.ciphertextByteCount != nil else { throw .badValue(field: "kind", found: UInt64(kind.rawValue)) }
            self = .badInput(kind)
        default: return nil
        }
    }
}

extension MessageReader {
    fileprivate mutating func keyKindOfEnclave() throws(EnclaveMessageFailure) -> EnclaveKeyKind {
        try choice("kind", of: EnclaveKeyKind.self)
    }
}
