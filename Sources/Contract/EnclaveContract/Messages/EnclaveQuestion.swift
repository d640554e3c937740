package import LatchkeySecretMemory

/// A question to the enclave: its encoding, the type of its answer, and the traits that a client must know.
///
/// Each question has a file of its own. ``EnclaveQuestions`` lists all of them, and ``EnclaveAnswers`` has a function
/// for each.
package protocol EnclaveQuestion<Answer>: Sendable {
    associatedtype Answer: EnclaveAnswer

    /// Its numbers in `Docs/Formats/enclave-mailbox.md`. There are two if a field was added later.
    static var numbers: [MessageNumber] { get }
    static var traits: QuestionTraits { get }
    /// The answer that stands for an enclave that runs since before an upgrade and does not know the question; nil if such
    /// an enclave must be restarted first.
    static var answerOfFormerEnclave: Answer? { get }

    /// One of ``numbers``.
    var number: MessageNumber { get }
    func write(to writer: inout MessageWriter)
    /// - Parameter number: one of ``numbers``.
    init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure)

    // Both are required, although no question has a form of its own: the compiler then makes them for each question.
    // Generic code in another module would look the types up for every message.

    /// The question as it is sent.
    var message: WireMessage { get }
    /// Reads the answer, or throws the refusal that came in its place.
    func answer(in message: WireMessage) throws(EnclaveRefusal) -> Answer

    /// The same question with the keys and the evidence of a context; the question itself if it names none.
    func under(_ context: ContextIdentifier) -> Self

    /// Returns true if the answer is possible for this question, for instance if it has the right length.
    func fits(_ answer: Answer) -> Bool
    func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Answer
}

extension EnclaveQuestion {
    package var number: MessageNumber { Self.numbers[0] }

    package static var answerOfFormerEnclave: Answer? { nil }

    package func fits(_ answer: Answer) -> Bool { true }

    package func under(_ context: ContextIdentifier) -> Self { self }

    package var message: WireMessage {
        let (body, secrets) = EnclaveMessageCodec.encode(self)
        return WireMessage(body: body, secrets: secrets)
    }

    package func answer(in message: WireMessage) throws(EnclaveRefusal) -> Answer {
        let result: Result<Answer, EnclaveRefusal>
        do throws(EnclaveMessageFailure) {
            result = try EnclaveMessageCodec.decode(Answer.self, body: message.body, secrets: message.secrets)
        } catch {
            throw .malformed(reason: "the enclave's answer cannot be read: \(error)")
        }
        let answer = try result.get()
        guard fits(answer) else {
            throw .malformed(reason: "the enclave answered another question than the one that was asked")
        }
        return answer
    }
}

/// A question without fields.
package protocol BareQuestion: EnclaveQuestion {
    init()
}

extension BareQuestion {
    package func write(to writer: inout MessageWriter) {}

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init()
    }
}

/// The traits of a question that a client must know besides its encoding.
package struct QuestionTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A second execution has no further effect, so that the question may be sent again after a lost connection.
    /// Questions that try a passcode do not have this trait.
    package static let repeatable = Self(rawValue: 1)
    /// May take as long as a person needs, so it must not use a connection that other questions wait for.
    package static let waitsForPerson = Self(rawValue: 2)
    /// May remove keys that callers hold. A caller that sees the answer must not go on using keys of an earlier epoch.
    package static let changesKeys = Self(rawValue: 4)
}

/// A connection to an enclave: an object in this process, or the process behind a socket.
package protocol EnclaveMailbox: Sendable {
    /// Sends a question and waits for its answer, without a limit of time. Throws the device's refusal.
    @discardableResult
    func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer

    /// The last known key epoch, without asking over a socket. Caches of an earlier epoch must be dropped.
    var keyEpoch: UInt64 { get }
}
