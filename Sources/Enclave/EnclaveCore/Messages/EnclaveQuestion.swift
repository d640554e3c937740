/// A question to the enclave: its bytes, the only answers that it has, and what a client must know of it.
///
/// Each question has a file of its own. ``EnclaveQuestions`` lists all of them, and ``EnclaveAnswers`` what answers them.
package protocol EnclaveQuestion<Answer>: Sendable {
    associatedtype Answer: EnclaveAnswer

    /// Its numbers in `Docs/Formats/enclave-mailbox.md`. Two, where a field came later.
    static var numbers: [MessageNumber] { get }
    static var traits: QuestionTraits { get }

    /// One of ``numbers``.
    var number: MessageNumber { get }
    func write(to writer: inout MessageWriter)
    /// - Parameter number: one of ``numbers``.
    init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure)

    /// Whether an answer is one to this question: of the same length, for instance.
    func fits(_ answer: Answer) -> Bool
    func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> Answer
}

extension EnclaveQuestion {
    package static var traits: QuestionTraits { [] }
    package var number: MessageNumber { Self.numbers[0] }

    package func fits(_ answer: Answer) -> Bool { true }
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

/// What a client of the enclave must know about a question besides its bytes.
package struct QuestionTraits: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Does the same when it is done twice, so that it may be sent again after a lost connection. A passcode is never
    /// tried twice.
    package static let repeatable = Self(rawValue: 1)
    /// May take as long as a person takes: not over a connection that others wait for.
    package static let waitsForPerson = Self(rawValue: 2)
    /// May end keys that callers hold: who sees the answer must not go on with those of the epoch before it.
    package static let changesKeys = Self(rawValue: 4)
}

/// An enclave to talk to: an object in this process, or the process behind a socket.
package protocol EnclaveMailbox: Sendable {
    /// Waits for the answer, as long as that takes. What the device refuses is thrown.
    @discardableResult
    func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer

    /// The key epoch as known without asking over a socket; caches of an older epoch must be dropped.
    var keyEpoch: UInt64 { get }
}
