/// A request for the use of the enclave's limited memory.
package struct AskLoad: BareQuestion {
    package static let numbers = [MessageNumber(21)]
    package static let traits: QuestionTraits = .repeatable

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> EnclaveLoad {
        try enclave.answer(self)
    }
}

/// The use of the enclave's limited memory.
package struct EnclaveLoad: EnclaveAnswer, Hashable {
    private static let number = MessageNumber(14)

    /// Open authentication contexts, of at most ``EnclaveLimits/contexts``.
    package let contexts: Int
    /// Enclave keys in the key cache.
    package let cachedKeys: Int

    package init(contexts: Int, cachedKeys: Int) {
        self.contexts = contexts
        self.cachedKeys = cachedKeys
    }

    package var number: MessageNumber { Self.number }

    package func write(to writer: inout MessageWriter) {
        writer.count(contexts)
        writer.count(cachedKeys)
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        guard number == Self.number else { return nil }
        contexts = try reader.count("contexts", limit: Int(UInt16.max))
        cachedKeys = try reader.count("cached keys", limit: Int(UInt16.max))
    }
}
