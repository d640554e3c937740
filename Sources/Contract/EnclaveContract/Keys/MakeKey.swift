package import LatchkeyAccessControl

/// A request for a new key that never leaves the enclave, under an access control with `privateKeyUsage`. If the access
/// control is not bound, it is bound like by ``BindAccessControl``.
///
/// An access control without `privateKeyUsage`, or with a protection that has no class key (`f`), is refused as
/// malformed.
package struct MakeKey: EnclaveQuestion {
    /// The former message, from before there were other kinds of keys.
    private static let p256 = MessageNumber.keyQuestion(1)
    private static let ofKind = MessageNumber.keyQuestion(6)
    package static let numbers = [p256, ofKind]
    package static let traits: QuestionTraits = []

    package let key: NewEnclaveKey
    package let accessControl: AccessControl
    /// The context with the application password, if the access control requires one.
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

/// The answer to a request for a new enclave key.
package enum NewKeyAnswer: EnclaveAnswer, Hashable {
    /// The length of the public key determines its kind (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    case created(blob: [UInt8], publicKey: [UInt8])
    /// `.locked`, `.classKeyMissing` or `.authenticationNeeded` (no application password).
    case refused(KeyRefusal)
    /// The access control requires biometry and cannot be bound now.
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
