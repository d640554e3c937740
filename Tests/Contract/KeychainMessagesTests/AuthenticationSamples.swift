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

    static let authenticationRequests: [AuthenticationRequest] =
        AuthenticationPolicy.allCases.map { .check($0) }
        + interactions.map { .evaluate(.deviceOwner, $0) }
        + GuardedOperation.allCases.map {
            .evaluateAccessControl(plain, operation: $0, Interaction())
        }
        + [
            .evaluate(.biometry, Interaction()),
            .evaluateAccessControl(plain, operation: .decrypt, interactions[2]),
            .setApplicationPassword(nil), .setApplicationPassword(secret("word")), .setApplicationPassword(secret("")),
            .setPasscode(nil), .setPasscode(secret("1234")), .biometry,
        ]

    static let authenticationReplies: [AuthenticationReply] =
        AuthenticationError.allCases.map {
            .failed($0, Refusal(ruleName: "r", reason: "Grund", advice: ""))
        }
        + [
            .done(domainState: nil), .done(domainState: []), .done(domainState: Array(0..<32)),
            .biometry(
                BiometryStatus(
                    survey: SensorSurvey(
                        name: "reader", fingers: [.leftThumb, .rightIndex], digest: [1, 2], seesTemplates: true),
                    obstacle: nil, enrolmentSet: EnrolmentSet(Array(0..<16)), missesLeft: 5),
                domainState: [7]),
            .biometry(
                BiometryStatus(
                    survey: .noSensor, obstacle: .biometryNotAvailable, enrolmentSet: nil, missesLeft: 0),
                domainState: nil),
        ]

    static let prompts = [
        Prompt(kind: .finger, program: "/usr/bin/mail", reason: ""),
        Prompt(
            kind: .passcode, program: "ABCDEFGHIJ.org.example.mail", team: "Späti (ABCDEFGHIJ)", level: .a,
            reason: "to log in", cancelTitle: "", fallbackTitle: "Kennwort", notice: "Finger not recognised."),
        Prompt(kind: .applicationPassword(isNew: false), program: "", level: .b, reason: "r"),
        Prompt(kind: .applicationPassword(isNew: true), program: "p", reason: "r", notice: ""),
    ]

    static let agentRequests: [AgentRequest] = [
        .register, .nextPrompt, .waitForEnd(PromptIdentifier(0)), .waitForEnd(PromptIdentifier(.max)),
        .answer(PromptIdentifier(1 << 63), .secret(secret("1234"))), .answer(PromptIdentifier(2), .secret(secret(""))),
        .answer(PromptIdentifier(3), .cancelled), .answer(PromptIdentifier(4), .fallback),
        .answer(PromptIdentifier(5), .withdrawn), .answer(PromptIdentifier(6), .timedOut),
        .answer(PromptIdentifier(7), .failed(reason: "kein Bild")),
    ]

    static let agentReplies: [AgentReply] =
        [.nothing, .done, .isOver(true), .isOver(false), .refused(Refusal(ruleName: "r", reason: "why", advice: "do"))]
        + prompts.map { .prompt(PromptIdentifier(.max), $0, seconds: nil) }
        + [
            .prompt(PromptIdentifier(1), prompts[0], seconds: 0),
            .prompt(PromptIdentifier(1), prompts[1], seconds: 59.5),
        ]
}
