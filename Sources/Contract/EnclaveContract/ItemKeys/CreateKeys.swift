package import LatchkeyAccessControl
package import LatchkeyKeybag

/// A request for 1 to ``EnclaveLimits/keysPerBatch`` new keys.
package struct CreateKeys: EnclaveQuestion {
    private static let withoutContext = MessageNumber(13)
    private static let forContext = MessageNumber(15)
    package static let numbers = [withoutContext, forContext]
    package static let traits: QuestionTraits = .repeatable

    package let keyClass: KeyClass
    package let use: KeyUse
    package let binding: [UInt8]
    package let count: Int
    /// The context with the application password, if the binding requires one, or with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(
        _ keyClass: KeyClass, _ use: KeyUse, binding: [UInt8], count: Int, context: ContextIdentifier? = nil
    ) {
        self.keyClass = keyClass
        self.use = use
        self.binding = binding
        self.count = count
        self.context = context
    }

    package var number: MessageNumber { context == nil ? Self.withoutContext : Self.forContext }

    package func write(to writer: inout MessageWriter) {
        if let context { writer.context(context) }
        writer.keyKind(keyClass, use, binding)
        writer.count(count)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = number == Self.forContext ? try reader.context() : nil
        (keyClass, use, binding) = try reader.keyKind()
        count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
    }

    package func under(_ context: ContextIdentifier) -> Self {
        Self(keyClass, use, binding: binding, count: count, context: context)
    }

    package func fits(_ answer: Result<[CreatedKey], KeyRefusal>) -> Bool {
        if case .success(let keys) = answer { keys.count == count } else { true }
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        try enclave.answer(self)
    }
}

extension CreateKeys {
    /// Requests keys of items under an access control.
    package init(
        ofItems keyClass: KeyClass, under accessControl: AccessControl, count: Int, context: ContextIdentifier? = nil
    ) {
        self.init(keyClass, .item, binding: accessControl.serialised, count: count, context: context)
    }
}

extension [CreatedKey]: MadeOfKeys {
    package static let madeNumber = MessageNumber(8)

    package func write(to writer: inout MessageWriter) {
        writer.count(count)
        for key in self { key.write(to: &writer) }
    }

    package init(from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
        self.init()
        reserveCapacity(count)
        for _ in 0..<count { append(try CreatedKey(from: &reader)) }
    }
}
