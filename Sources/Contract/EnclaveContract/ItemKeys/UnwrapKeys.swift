package import LatchkeySecretMemory

/// A request to unwrap up to ``EnclaveLimits/keysPerBatch`` keys. The answer has one result for each key, at the same
/// index.
package struct UnwrapKeys: EnclaveQuestion {
    private static let withoutContext = MessageNumber(11)
    private static let forContext = MessageNumber(14)
    package static let numbers = [withoutContext, forContext]
    package static let traits: QuestionTraits = .repeatable

    package let keys: [WrappedKey]
    /// The context with the evidence for item keys whose binding has conditions, or with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(_ keys: [WrappedKey], context: ContextIdentifier? = nil) {
        self.keys = keys
        self.context = context
    }

    package var number: MessageNumber { context == nil ? Self.withoutContext : Self.forContext }

    package func write(to writer: inout MessageWriter) {
        if let context { writer.context(context) }
        writer.count(keys.count)
        for key in keys {
            writer.keyKind(key.keyClass, key.use, key.binding)
            writer.bytes(key.bytes)
        }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = number == Self.forContext ? try reader.context() : nil
        let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
        var keys: [WrappedKey] = []
        keys.reserveCapacity(count)
        for _ in 0..<count {
            let kind = try reader.keyKind()
            let bytes = try reader.bytes("wrapped key", limit: WrappedKey.byteLimit)
            keys.append(WrappedKey(keyClass: kind.keyClass, use: kind.use, binding: kind.binding, bytes: bytes))
        }
        self.keys = keys
    }

    package func under(_ context: ContextIdentifier) -> Self { Self(keys, context: context) }

    package func fits(_ outcomes: [KeyOutcome]) -> Bool { outcomes.count == keys.count }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> [KeyOutcome] {
        try enclave.answer(self)
    }
}

package enum KeyOutcome: Sendable {
    case key(SecretBox)
    case refused(KeyRefusal)
}

extension KeyOutcome: ListedAnswer {
    package static let listNumber = MessageNumber(5)

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .key(let key):
            writer.byte(0)
            writer.secret(key)
        case .refused(let refusal):
            writer.byte(refusal.rawValue)
        }
    }

    package init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        let raw = try reader.byte()
        guard raw != 0 else {
            self = .key(try reader.key())
            return
        }
        guard let refusal = KeyRefusal(rawValue: raw) else { throw .badValue(field: "outcome", found: UInt64(raw)) }
        self = .refused(refusal)
    }
}
