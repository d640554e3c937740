import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// Messages about authentication, of every shape.
extension Samples {
    static let longestText = String(repeating: "x", count: MessageCoding.interactionTextByteCount)

    static let interactions = [
        Interaction(), Interaction(isAllowed: false, reason: "to log in"),
        Interaction(reason: "späti 🔑", cancelTitle: "Nein", fallbackTitle: "", reuseSeconds: 12.345),
        Interaction(
            reason: longestText, cancelTitle: longestText, fallbackTitle: longestText,
            reuseSeconds: EnclaveLimits.reuseSeconds),
    ]

    static let authenticationQuestions: [any AuthenticationQuestion] =
        policyQuestions + [
            SetContextPassword(nil), SetContextPassword(secret("word")), SetContextPassword(secret("")),
            SetContextPasscode(nil), SetContextPasscode(secret("1234")), DescribeBiometry(),
        ]

    private static let policyQuestions: [any AuthenticationQuestion] =
        AuthenticationPolicy.allCases.map { CheckPolicy($0) }
        + interactions.map { EvaluatePolicy(.deviceOwner, $0) }
        + GuardedOperation.allCases.map { EvaluateAccessControl(plain, for: $0, Interaction()) }
        + [
            EvaluatePolicy(.biometry, Interaction()),
            EvaluateAccessControl(plain, for: .decrypt, interactions[2]),
        ]

    static let authenticationAnswers =
        AuthenticationError.allCases.map {
            AnswerSample(
                EvaluatePolicy.self,
                throwing: AuthenticationRefusal($0, Refusal(ruleName: "r", reason: "Grund", advice: "")))
        }
        + [nil, [], Array(0..<32)].map {
            AnswerSample(EvaluatePolicy.self, PolicyFulfilment(domainState: $0))
        }
        + [
            AnswerSample(CheckPolicy.self, PolicyFulfilment(domainState: [1])),
            AnswerSample(EvaluateAccessControl.self, AuthenticationDone()),
            AnswerSample(SetContextPassword.self, AuthenticationDone()),
            AnswerSample(SetContextPasscode.self, AuthenticationDone()),
            AnswerSample(
                DescribeBiometry.self,
                DeviceBiometry(
                    BiometryStatus(
                        survey: SensorSurvey(
                            name: "reader", fingers: [.leftThumb, .rightIndex], digest: [1, 2], seesTemplates: true),
                        obstacle: nil, enrolmentSet: EnrolmentSet(Array(0..<16)), missesLeft: 5),
                    domainState: [7])),
            AnswerSample(
                DescribeBiometry.self,
                DeviceBiometry(
                    BiometryStatus(
                        survey: .noSensor, obstacle: .biometryNotAvailable, enrolmentSet: nil, missesLeft: 0),
                    domainState: nil)),
        ]

    static let prompts = [
        Prompt(kind: .finger, program: "/usr/bin/mail", reason: ""),
        Prompt(
            kind: .passcode, program: "ABCDEFGHIJ.org.example.mail", team: "Späti (ABCDEFGHIJ)", level: .a,
            reason: "to log in", cancelTitle: "", fallbackTitle: "Kennwort", notice: "Finger not recognised."),
        Prompt(kind: .applicationPassword(isNew: false), program: "", level: .b, reason: "r"),
        Prompt(kind: .applicationPassword(isNew: true), program: "p", reason: "r", notice: ""),
    ]

    static let agentQuestions: [any AgentQuestion] = [
        RegisterAgent(), AwaitPrompt(), AwaitEndOfPrompt(PromptIdentifier(0)), AwaitEndOfPrompt(PromptIdentifier(.max)),
        AnswerPrompt(PromptIdentifier(1 << 63), .secret(secret("1234"))),
        AnswerPrompt(PromptIdentifier(2), .secret(secret(""))), AnswerPrompt(PromptIdentifier(3), .cancelled),
        AnswerPrompt(PromptIdentifier(4), .fallback), AnswerPrompt(PromptIdentifier(5), .withdrawn),
        AnswerPrompt(PromptIdentifier(6), .timedOut), AnswerPrompt(PromptIdentifier(7), .failed(reason: "kein Bild")),
    ]

    static let agentAnswers =
        [
            AnswerSample(AwaitPrompt.self, .nothing), AnswerSample(RegisterAgent.self, AgentDone()),
            AnswerSample(AnswerPrompt.self, AgentDone()), AnswerSample(AwaitEndOfPrompt.self, PromptEnd(isOver: true)),
            AnswerSample(AwaitEndOfPrompt.self, PromptEnd(isOver: false)),
        ]
        + AgentQuestions.all.map { refused($0) }
        + prompts.map { AnswerSample(AwaitPrompt.self, .prompt(PromptIdentifier(.max), $0, seconds: nil)) }
        + [
            AnswerSample(AwaitPrompt.self, .prompt(PromptIdentifier(1), prompts[0], seconds: 0)),
            AnswerSample(AwaitPrompt.self, .prompt(PromptIdentifier(1), prompts[1], seconds: 59.5)),
        ]

    private static func refused<Question: AgentQuestion>(_ question: Question.Type) -> AnswerSample {
        AnswerSample(question, throwing: AgentRefusal(Refusal(ruleName: "r", reason: "why", advice: "do")))
    }
}
