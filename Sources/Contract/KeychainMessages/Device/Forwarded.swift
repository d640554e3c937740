package import LatchkeyEnclaveContract
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// A question to the enclave that the owner may ask. The keychain forwards it in the enclave's own encoding.
package protocol ForwardedQuestion: EnclaveQuestion where Answer: KeychainAnswer {
    static var keychainTraits: KeychainTraits { get }
    /// The name in journal and audit log; empty if the question is recorded in neither.
    static var auditedName: String { get }
}

extension ForwardedQuestion {
    package static var auditedName: String { "" }
}

/// The owner's form of a question to the enclave.
package struct Forwarded<Question: ForwardedQuestion>: DeviceQuestion {
    package static var traits: KeychainTraits { Question.keychainTraits }
    package static var name: String { Question.auditedName }

    package let question: Question

    package init(_ question: Question) {
        self.question = question
    }

    package var content: (field: PropertyValue, secrets: [SecretBox]) {
        let inner = EnclaveMessageCodec.encode(question)
        return (.data(inner.body), inner.secrets)
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Question.Answer {
        try device.answer(self)
    }
}

extension Keychain {
    @discardableResult
    package func ask<Question: ForwardedQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try ask(Forwarded(question))
    }
}

extension MessageCoding {
    /// Decodes a question to the enclave. Questions that only the keychain may ask are refused.
    static func forwardedQuestion(
        _ bytes: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> any DeviceQuestion {
        let question: any EnclaveQuestion
        do throws(EnclaveMessageFailure) {
            question = try EnclaveMessageCodec.decodeQuestion(body: bytes, secrets: secrets)
        } catch {
            throw .badEnclaveMessage(error)
        }
        if question is AskStatus { return DescribeDevice() }
        guard let question = question as? any ForwardedQuestion else { throw .badField("device request") }
        return forwarded(question)
    }

    private static func forwarded(_ question: some ForwardedQuestion) -> any DeviceQuestion { Forwarded(question) }
}
