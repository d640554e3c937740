/// A request for 1 to ``EnclaveLimits/keysPerBatch`` new keys of files or items of a backup, one for each class number.
package struct CreateBackupKeys: EnclaveQuestion {
    package static let numbers = [MessageNumber(26)]
    package static let traits: QuestionTraits = .repeatable

    package let keys: SealedBackupKeys
    package let classNumbers: [UInt8]
    /// The context with the class keys of an escrow.
    package let context: ContextIdentifier?

    package init(_ keys: SealedBackupKeys, classNumbers: [UInt8], context: ContextIdentifier? = nil) {
        self.keys = keys
        self.classNumbers = classNumbers
        self.context = context
    }

    package func under(_ context: ContextIdentifier) -> Self {
        Self(keys, classNumbers: classNumbers, context: context)
    }

    package func write(to writer: inout MessageWriter) {
        writer.backupKeys(keys)
        writer.bytes(classNumbers)
        writer.optional(context) { $0.context($1) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        keys = try reader.backupKeys()
        classNumbers = try reader.bytes("classes", limit: EnclaveLimits.keysPerBatch)
        context = try reader.optionalContext()
    }

    package func fits(_ answer: Result<[CreatedKey], KeyRefusal>) -> Bool {
        if case .success(let made) = answer { made.count == classNumbers.count } else { true }
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal> {
        try enclave.answer(self)
    }
}
