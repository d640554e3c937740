package import LatchkeyKeybag

/// A request for a new random 32-byte key and its wrapped form.
package struct CreateKey: EnclaveQuestion {
    private static let withoutContext = MessageNumber(10)
    private static let forContext = MessageNumber(30)
    package static let numbers = [withoutContext, forContext]
    package static let traits: QuestionTraits = .repeatable

    package let keyClass: KeyClass
    package let use: KeyUse
    package let binding: [UInt8]
    /// The context with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(
        _ keyClass: KeyClass, _ use: KeyUse, binding: [UInt8] = [], context: ContextIdentifier? = nil
    ) {
        self.keyClass = keyClass
        self.use = use
        self.binding = binding
        self.context = context
    }

    package var number: MessageNumber { context == nil ? Self.withoutContext : Self.forContext }

    package func under(_ context: ContextIdentifier) -> Self {
        Self(keyClass, use, binding: binding, context: context)
    }

    package func write(to writer: inout MessageWriter) {
        if let context { writer.context(context) }
        writer.keyKind(keyClass, use, binding)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        let context = number == Self.forContext ? try reader.context() : nil
        let kind = try reader.keyKind()
        self.init(kind.keyClass, kind.use, binding: kind.binding, context: context)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<CreatedKey, KeyRefusal> {
        try enclave.answer(self)
    }
}

/// A result that the enclave makes, with its number as an answer.
package protocol MadeOfKeys: Sendable {
    static var madeNumber: MessageNumber { get }
    func write(to writer: inout MessageWriter)
    init(from reader: inout MessageReader) throws(EnclaveMessageFailure)
}

/// The failure is `.locked`, `.classKeyMissing` or `.authenticationNeeded` (no application password).
extension Result: EnclaveAnswer where Success: MadeOfKeys, Failure == KeyRefusal {
    package var number: MessageNumber {
        switch self {
        case .success: Success.madeNumber
        case .failure: MessageNumber(4)
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .success(let made): made.write(to: &writer)
        case .failure(let refusal): writer.byte(refusal.rawValue)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case Success.madeNumber: self = .success(try Success(from: &reader))
        case MessageNumber(4): self = .failure(try reader.keyRefusal())
        default: return nil
        }
    }
}

extension CreatedKey: MadeOfKeys {
    package static let madeNumber = MessageNumber(3)

    package func write(to writer: inout MessageWriter) {
        writer.bytes(wrapped)
        writer.secret(key)
    }

    package init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        let wrapped = try reader.bytes("wrapped key", limit: WrappedKey.byteLimit)
        self.init(key: try reader.key(), wrapped: wrapped)
    }
}
