import LatchkeyCodeSignature
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

extension MessageCoding {
    private enum RequestKind: Int64 {
        case register = 1
        case nextPrompt = 2
        case answer = 3
        case waitForEnd = 4
    }

    private enum AnswerKind: Int64 {
        case secret = 1
        case cancelled = 2
        case fallback = 3
        case withdrawn = 4
        case timedOut = 5
        case failed = 6
    }

    package static func encode(_ request: AgentRequest) -> WireMessage {
        switch request {
        case .register:
            return message(.agentRequest, [.integer(RequestKind.register.rawValue)])
        case .nextPrompt:
            return message(.agentRequest, [.integer(RequestKind.nextPrompt.rawValue)])
        case .answer(let prompt, let answer):
            let (fields, secrets) = fields(of: answer)
            let head: [PropertyValue] = [.integer(RequestKind.answer.rawValue), number(of: prompt)]
            return message(.agentRequest, head + fields, secrets: secrets)
        case .waitForEnd(let prompt):
            return message(.agentRequest, [.integer(RequestKind.waitForEnd.rawValue), number(of: prompt)])
        }
    }

    private static func fields(of answer: PromptAnswer) -> (fields: [PropertyValue], secrets: [SecretBox]) {
        switch answer {
        case .secret(let secret): ([.integer(AnswerKind.secret.rawValue), .secret(0)], [secret])
        case .cancelled: ([.integer(AnswerKind.cancelled.rawValue)], [])
        case .fallback: ([.integer(AnswerKind.fallback.rawValue)], [])
        case .withdrawn: ([.integer(AnswerKind.withdrawn.rawValue)], [])
        case .timedOut: ([.integer(AnswerKind.timedOut.rawValue)], [])
        case .failed(let reason): ([.integer(AnswerKind.failed.rawValue), .string(reason)], [])
        }
    }

    static func agentRequest(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> AgentRequest {
        var fields = fields
        guard let kind = RequestKind(rawValue: try fields.integer("request")) else { throw .badField("request") }
        let request: AgentRequest
        switch kind {
        case .register: request = .register
        case .nextPrompt: request = .nextPrompt
        case .answer:
            let prompt = try identifier(&fields)
            request = .answer(prompt, try answer(&fields, secrets))
        case .waitForEnd: request = .waitForEnd(try identifier(&fields))
        }
        try fields.finish()
        return request
    }

    private static func answer(
        _ fields: inout MessageFields, _ secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> PromptAnswer {
        guard let kind = AnswerKind(rawValue: try fields.integer("answer")) else { throw .badField("answer") }
        switch kind {
        case .secret: return .secret(secrets[try fields.secretIndex("secret")])
        case .cancelled: return .cancelled
        case .fallback: return .fallback
        case .withdrawn: return .withdrawn
        case .timedOut: return .timedOut
        case .failed:
            let reason = try fields.text("reason")
            guard reason.utf8.count <= interactionTextByteCount else {
                throw .tooMany(field: "reason", found: reason.utf8.count, limit: interactionTextByteCount)
            }
            return .failed(reason: reason)
        }
    }

    /// A number of 64 bits in the signed form of an integer.
    private static func number(of prompt: PromptIdentifier) -> PropertyValue {
        .integer(Int64(bitPattern: prompt.number))
    }

    private static func identifier(_ fields: inout MessageFields) throws(MessageCodingFailure) -> PromptIdentifier {
        PromptIdentifier(UInt64(bitPattern: try fields.integer("prompt")))
    }

    private enum ReplyKind: Int64 {
        case nothing = 1
        case prompt = 2
        case isOver = 3
        case done = 4
        case refused = 5
    }

    package static func encode(_ reply: AgentReply) -> WireMessage {
        let fields: [PropertyValue] =
            switch reply {
            case .nothing: [.integer(ReplyKind.nothing.rawValue)]
            case .prompt(let id, let prompt, let seconds):
                [
                    .integer(ReplyKind.prompt.rawValue), number(of: id), value(of: prompt),
                    seconds.map { .integer(milliseconds($0)) } ?? .null,
                ]
            case .isOver(let isOver): [.integer(ReplyKind.isOver.rawValue), .boolean(isOver)]
            case .done: [.integer(ReplyKind.done.rawValue)]
            case .refused(let refusal): [.integer(ReplyKind.refused.rawValue), value(of: refusal)]
            }
        return message(.agentReply, fields)
    }

    /// A day, in milliseconds.
    private static let longestPrompt: Int64 = 86_400_000

    private static func milliseconds(_ seconds: Double) -> Int64 {
        guard seconds > 0 else { return 0 }
        return Int64(min((seconds * 1000).rounded(.up), Double(longestPrompt)))
    }

    package static func decodeAgentReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> AgentReply {
        var fields = try fields(of: body, secrets: secrets, expected: .agentReply)
        guard let kind = ReplyKind(rawValue: try fields.integer("reply")) else { throw .badField("reply") }
        let reply: AgentReply
        switch kind {
        case .nothing: reply = .nothing
        case .prompt:
            let id = try identifier(&fields)
            guard var part = try fields.part("prompt") else { throw .fieldMissing("prompt") }
            let prompt = try prompt(&part)
            let milliseconds = try fields.optionalInteger("seconds")
            guard (0...longestPrompt).contains(milliseconds ?? 0) else { throw .badField("seconds") }
            reply = .prompt(id, prompt, seconds: milliseconds.map { Double($0) / 1000 })
        case .isOver: reply = .isOver(try fields.boolean("is over"))
        case .done: reply = .done
        case .refused:
            guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
            reply = .refused(try refusal(part))
        }
        try fields.finish()
        return reply
    }

    private enum PromptKind: Int64 {
        case finger = 1
        case passcode = 2
        case applicationPassword = 3
        case newApplicationPassword = 4
    }

    private static func value(of prompt: Prompt) -> PropertyValue {
        let kind: PromptKind =
            switch prompt.kind {
            case .finger: .finger
            case .passcode: .passcode
            case .applicationPassword(isNew: false): .applicationPassword
            case .applicationPassword(isNew: true): .newApplicationPassword
            }
        return .array([
            .integer(kind.rawValue), .string(prompt.program), text(prompt.team), .string(prompt.level.rawValue),
            .string(prompt.reason), text(prompt.cancelTitle), text(prompt.fallbackTitle), text(prompt.notice),
            text(prompt.item),
        ])
    }

    private static func prompt(_ part: inout MessageFields) throws(MessageCodingFailure) -> Prompt {
        guard let number = PromptKind(rawValue: try part.integer("kind")) else { throw .badField("kind") }
        let kind: Prompt.Kind =
            switch number {
            case .finger: .finger
            case .passcode: .passcode
            case .applicationPassword: .applicationPassword(isNew: false)
            case .newApplicationPassword: .applicationPassword(isNew: true)
            }
        let program = try part.text("program")
        let team = try part.optionalText("team")
        guard let level = AssuranceLevel(rawValue: try part.text("level")) else { throw .badField("level") }
        let prompt = Prompt(
            kind: kind, program: program, team: team, level: level, reason: try part.text("reason"),
            cancelTitle: try part.optionalText("cancel title"), fallbackTitle: try part.optionalText("fallback title"),
            notice: try part.optionalText("notice"), item: try part.optionalText("item"))
        try part.finish()
        return prompt
    }

    private static func text(_ text: String?) -> PropertyValue {
        text.map { .string($0) } ?? .null
    }
}
