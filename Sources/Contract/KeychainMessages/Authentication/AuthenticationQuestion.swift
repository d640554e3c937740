package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// A question of an `LAContext`. Its session answers it (``AuthenticationSession``).
package protocol AuthenticationQuestion: NumberedQuestion where Failure == AuthenticationRefusal {
    func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer
}

extension AuthenticationQuestion {
    package var message: WireMessage { MessageCoding.numbered(self) }
}

/// A question that prompts the user if the evidence of the context does not suffice. Its outcome is on record.
package protocol EvaluationQuestion: AuthenticationQuestion {
    /// The thing that needs the evidence.
    var demand: AuthenticationDemand { get }
    /// The program's settings for the prompt.
    var interaction: Interaction { get }
}

extension EvaluationQuestion {
    package static var traits: KeychainTraits { [.asksPerson, .audited] }
    package static var name: String { "evaluate" }
}

/// A service that answers every question of an `LAContext`.
package protocol AuthenticationAnswers {
    /// The error in place of an answer.
    associatedtype Obstacle: Error

    func answer(_ question: CheckPolicy) throws(Obstacle) -> PolicyFulfilment
    func answer(_ question: EvaluatePolicy) throws(Obstacle) -> PolicyFulfilment
    func answer(_ question: EvaluateAccessControl) throws(Obstacle) -> AuthenticationDone
    func answer(_ question: SetContextPassword) throws(Obstacle) -> AuthenticationDone
    func answer(_ question: SetContextPasscode) throws(Obstacle) -> AuthenticationDone
    func answer(_ question: DescribeBiometry) throws(Obstacle) -> DeviceBiometry
}

/// The questions by their numbers.
package enum AuthenticationQuestions {
    package static let all: [any AuthenticationQuestion.Type] = [
        CheckPolicy.self, EvaluatePolicy.self, EvaluateAccessControl.self, SetContextPassword.self,
        SetContextPasscode.self, DescribeBiometry.self,
    ]

    private static let byNumber = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })

    static func type(of number: Int64) -> (any AuthenticationQuestion.Type)? { byNumber[number] }
}

extension MessageCoding {
    static func authenticationQuestion(
        _ fields: MessageFields
    ) throws(MessageCodingFailure) -> any AuthenticationQuestion {
        var fields = fields
        guard let type = AuthenticationQuestions.type(of: try fields.integer("request")) else {
            throw .badField("request")
        }
        let question = try type.init(from: &fields)
        try fields.finish()
        return question
    }
}
