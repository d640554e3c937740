package import LatchkeyKeybag

/// A request for 1 to ``EnclaveLimits/keysPerBatch`` new keys of files, one for each identifier. ``UnwrapKeys`` unwraps
/// them.
///
/// Keys of the class ``FileProtection/completeUnlessOpen`` can be made in every lock state.
package struct MakeFileKeys: EnclaveQuestion {
    private static let withoutContext = MessageNumber(22)
    private static let forContext = MessageNumber(31)
    package static let numbers = [withoutContext, forContext]
    package static let traits: QuestionTraits = .repeatable

    package let protection: FileProtection
    package let identifiers: [FileIdentifier]
    /// The context with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(_ protection: FileProtection, for identifiers: [FileIdentifier], context: ContextIdentifier? = nil) {
        self.protection = protection
        self.identifiers = identifiers
        self.context = context
    }

    package var number: MessageNumber { context == nil ? Self.withoutContext : Self.forContext }

    package func under(_ context: ContextIdentifier) -> Self {
        Self(protection, for: identifiers, context: context)
    }

    package func write(to writer: inout MessageWriter) {
        if let context { writer.context(context) }
        writer.fileProtection(protection)
        writer.count(identifiers.count)
        for identifier in identifiers { writer.fileIdentifier(identifier) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = number == Self.forContext ? try reader.context() : nil
        protection = try reader.fileProtection()
        let count = try reader.count("files", limit: EnclaveLimits.keysPerBatch)
        var identifiers: [FileIdentifier] = []
        identifiers.reserveCapacity(count)
        for _ in 0..<count { identifiers.append(try reader.fileIdentifier()) }
        self.identifiers = identifiers
    }

    package func fits(_ answer: Result<[CreatedKey], KeyRefusal>) -> Bool {
        guard case .success(let keys) = answer else { return true }
        let byteCount = WrappedFileKey.byteCount(protection)
        return keys.count == identifiers.count && keys.allSatisfy { $0.wrapped.count == byteCount }
    }

    /// The keys of an answer to this question, in the order of its identifiers.
    package func wrappedKeys(_ answer: [CreatedKey]) -> [WrappedFileKey] {
        zip(answer, identifiers).map { WrappedFileKey(fitting: $0.wrapped, of: $1, protection) }
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        try enclave.answer(self)
    }
}
