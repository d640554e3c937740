package import LatchkeyEnclaveContract
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// A question to the enclave that a program sends in the enclave's own encoding.
package protocol OwnersEnclaveQuestion: EnclaveQuestion {
    /// The question to the keychain that this one stands for.
    var deviceQuestion: any DeviceQuestion { get }
}

/// The keychain adds to the enclave's status what it knows itself.
extension AskStatus: OwnersEnclaveQuestion {
    package var deviceQuestion: any DeviceQuestion { DescribeDevice() }
}

/// A question to the enclave that the owner may ask. The keychain forwards it in the enclave's own encoding.
package protocol ForwardedQuestion: OwnersEnclaveQuestion where Answer: KeychainAnswer {
    static var keychainTraits: KeychainTraits { get }
    /// The name in journal and audit log; empty if the question is recorded in neither.
    static var auditedName: String { get }
    static var fingerChange: FingerChange { get }
    /// Returns true if the enrolled fingers are others since this answer.
    static func changesFingers(_ answer: Answer) -> Bool
}

/// The part of a question in a change of the enrolled fingers. After one, the items of the former fingers end.
package enum FingerChange: Sendable {
    case none
    /// The enrolled fingers are the former ones until the question that ends the change.
    case begins
    case ends
    case beginsAndEnds
}

extension ForwardedQuestion {
    package var deviceQuestion: any DeviceQuestion { Forwarded(self) }

    package static var auditedName: String { "" }
    package static var fingerChange: FingerChange { .none }

    package static func changesFingers(_ answer: Answer) -> Bool { false }
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
        guard let question = question as? any OwnersEnclaveQuestion else { throw .badField("device request") }
        return question.deviceQuestion
    }
}
