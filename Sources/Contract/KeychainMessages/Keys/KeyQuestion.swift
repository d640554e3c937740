package import LatchkeySecretMemory

/// A question about an enclave key. A key is identified by its blob (`kSecAttrTokenOID`), which only the enclave that
/// created it can unwrap.
package protocol KeyQuestion: KeychainQuestion where Answer: KeychainAnswer, Failure == EnclaveKeyRefusal {
    /// Its numbers in `Docs/Formats/socket.md`. There are two if a field was added later.
    static var numbers: [Int64] { get }
    static var purpose: KeyPurpose { get }

    /// One of ``numbers``.
    var number: Int64 { get }
    func write(to writer: inout FieldWriter)
    /// - Parameter number: one of ``numbers``.
    init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure)

    /// The settings for prompts; nil if the question does not use its session's context.
    var interaction: Interaction? { get }
    /// The refusal of a question that no key can answer because a part of it does not have a valid length; nil for all
    /// other questions. Checked before a question is sent, because a daemon can only report that it cannot parse such a
    /// question.
    var lengthRefusal: EnclaveKeyRefusal? { get }

    func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer
}

extension KeyQuestion {
    package var number: Int64 { Self.numbers[0] }

    package var message: WireMessage {
        var writer = FieldWriter(number)
        write(to: &writer)
        return MessageCoding.message(Failure.questionKind, writer.values, secrets: writer.secrets)
    }

    /// True if the question may prompt the user.
    package var mayAskPerson: Bool { Self.traits.contains(.asksPerson) && interaction?.isAllowed ?? true }
}

/// The thing that a question does with a key.
package enum KeyPurpose: Sendable {
    case creation
    case description
    case signature
    /// A secret that another party has, too: by key agreement or decapsulation.
    case sharedSecret
}

/// A service that answers every question about an enclave key.
package protocol KeyAnswers {
    /// The error in place of an answer.
    associatedtype Obstacle: Error

    func answer(_ question: CreateEnclaveKey) throws(Obstacle) -> CreatedEnclaveKey
    func answer(_ question: DescribeEnclaveKey) throws(Obstacle) -> EnclaveKeyDescription
    func answer(_ question: SignWithKey) throws(Obstacle) -> EnclaveKeySignature
    func answer(_ question: SignMessageWithKey) throws(Obstacle) -> EnclaveKeySignature
    func answer(_ question: AgreeWithKey) throws(Obstacle) -> EnclaveKeySecret
    func answer(_ question: DecapsulateWithKey) throws(Obstacle) -> EnclaveKeySecret
}

/// The questions about enclave keys, by their numbers.
package enum KeyQuestions {
    package static let all: [any KeyQuestion.Type] = [
        CreateEnclaveKey.self, SignWithKey.self, AgreeWithKey.self, DescribeEnclaveKey.self, SignMessageWithKey.self,
        DecapsulateWithKey.self,
    ]

    private static let byNumber = Dictionary(
        uniqueKeysWithValues: all.flatMap { type in type.numbers.map { ($0, type) } })

    static func type(of number: Int64) -> (any KeyQuestion.Type)? { byNumber[number] }
}

extension MessageCoding {
    static func keyQuestion(_ fields: MessageFields) throws(MessageCodingFailure) -> any KeyQuestion {
        var fields = fields
        let number = try fields.integer("key request")
        guard let type = KeyQuestions.type(of: number) else { throw .badField("key request") }
        let question = try type.init(number, from: &fields)
        try fields.finish()
        return question
    }
}
