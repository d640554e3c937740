package import LatchkeyAccessControl

/// A new key that never leaves the enclave, under an access control with `privateKeyUsage`; one that is not bound is
/// bound as by ``BindAccessControl``.
///
/// Bytes without `privateKeyUsage`, or with a protection without a class key (`f`), are refused as malformed.
package struct MakeKey: EnclaveQuestion {
    /// As it was before there were other keys.
    private static let p256 = MessageNumber.keyQuestion(1)
    private static let ofKind = MessageNumber.keyQuestion(6)
    package static let numbers = [p256, ofKind]

    package let key: NewEnclaveKey
    package let accessControl: AccessControl
    /// Brings the application password, if the access control asks for one.
    package let context: ContextIdentifier?

    package init(_ key: NewEnclaveKey = .p256, under accessControl: AccessControl, context: ContextIdentifier?) {
        self.key = key
        self.accessControl = accessControl
        self.context = context
    }

    package var number: MessageNumber { key == .p256 ? Self.p256 : Self.ofKind }

    package func write(to writer: inout MessageWriter) {
        writer.optionalContext(context)
        if key != .p256 { writer.byte(key.rawValue) }
        writer.accessControl(accessControl)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.optionalContext()
        key = number == Self.ofKind ? try reader.choice("new key", of: NewEnclaveKey.self) : .p256
        guard number == Self.p256 || key != .p256 else {
            throw .badValue(field: "new key", found: UInt64(key.rawValue))
        }
        accessControl = try reader.accessControl()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> NewKeyAnswer {
        try enclave.answer(self)
    }
}

/// The answer to a request for a new key of the enclave.
package enum NewKeyAnswer: EnclaveAnswer, Hashable {
    /// The length of the public key tells its kind (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    case created(blob: [UInt8], publicKey: [UInt8])
    /// `.locked`, `.classKeyMissing` or `.authenticationNeeded` (no application password).
    case refused(KeyRefusal)
    /// Its access control is about biometry and cannot be bound now.
    case notBound(VerdictRule?)

    private static let createdNumber = MessageNumber.keyAnswer(1)

    package var number: MessageNumber {
        switch self {
        case .created: Self.createdNumber
        case .refused: .keyRefused
        case .notBound: .notBound
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .created(let blob, let publicKey):
            writer.bytes(blob)
            writer.bytes(publicKey)
        case .refused(let refusal): writer.byte(refusal.rawValue)
        case .notBound(let rule): writer.optionalRule(rule)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case Self.createdNumber:
            let blob = try reader.blob()
            self = .created(
                blob: blob, publicKey: try reader.bytes("public key", limit: EnclaveKeyKind.publicKeyByteLimit))
        case .keyRefused: self = .refused(try reader.keyRefusal())
        case .notBound: self = .notBound(try reader.optionalRule())
        default: return nil
        }
    }
}
