/// A request to unwrap up to ``EnclaveLimits/keysPerBatch`` keys of files or items of a backup. The answer has one result for
/// each, at the same index.
package struct UnwrapBackupKeys: EnclaveQuestion {
    package static let numbers = [MessageNumber(27)]
    package static let traits: QuestionTraits = .repeatable

    package struct Key: Sendable, Hashable {
        package let classNumber: UInt8
        package let bytes: [UInt8]

        package init(classNumber: UInt8, bytes: [UInt8]) {
            self.classNumber = classNumber
            self.bytes = bytes
        }
    }

    package let keys: SealedBackupKeys
    package let wrapped: [Key]
    /// The context with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(_ keys: SealedBackupKeys, _ wrapped: [Key], context: ContextIdentifier? = nil) {
        self.keys = keys
        self.wrapped = wrapped
        self.context = context
    }

    package func under(_ context: ContextIdentifier) -> Self { Self(keys, wrapped, context: context) }

    package func write(to writer: inout MessageWriter) {
        writer.backupKeys(keys)
        writer.count(wrapped.count)
        for key in wrapped {
            writer.byte(key.classNumber)
            writer.bytes(key.bytes)
        }
        writer.optional(context) { $0.context($1) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        keys = try reader.backupKeys()
        let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
        var wrapped: [Key] = []
        wrapped.reserveCapacity(count)
        for _ in 0..<count {
            let classNumber = try reader.byte()
            wrapped.append(Key(classNumber: classNumber, bytes: try reader.bytes("wrapped key", limit: 128)))
        }
        self.wrapped = wrapped
        context = try reader.optionalContext()
    }

    package func fits(_ outcomes: [KeyOutcome]) -> Bool { outcomes.count == wrapped.count }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> [KeyOutcome] {
        try enclave.answer(self)
    }
}
