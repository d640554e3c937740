import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// A request as it comes out of the socket.
package enum KeychainCall: Sendable {
    case item(ItemRequest)
    case device(any DeviceQuestion)
    case authentication(AuthenticationRequest)
    case agent(AgentRequest)
    case key(KeyRequest)
    case event(EventRequest)
}

extension MessageCoding {
    /// What the keychain may be asked.
    package static func decodeRequest(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> KeychainCall {
        let (kind, fields) = try fields(of: body, secrets: secrets)
        switch kind {
        case .itemRequest: return .item(try itemRequest(fields, secrets: secrets))
        case .deviceRequest: return .device(try deviceQuestion(fields, secrets: secrets))
        case .authenticationRequest: return .authentication(try authenticationRequest(fields, secrets: secrets))
        case .agentRequest: return .agent(try agentRequest(fields, secrets: secrets))
        case .keyRequest: return .key(try keyRequest(fields, secrets: secrets))
        case .eventRequest: return .event(try eventRequest(fields))
        case .itemReply, .deviceReply, .authenticationReply, .agentReply, .keyReply, .eventReply:
            throw .unexpectedMessage(found: kind.rawValue)
        }
    }

    package static func encode(_ question: some DeviceQuestion) -> Encoded {
        let content = question.content
        return (body(.deviceRequest, [content.field]), content.secrets)
    }

    private static func deviceQuestion(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> any DeviceQuestion {
        var fields = fields
        let field = try fields.value("device request")
        try fields.finish()
        switch field {
        case .integer(let limit):
            guard secrets.isEmpty else { throw .badEnclaveMessage(.secretsLeft(secrets.count)) }
            return DeviceRequest.refusals(limit: Int(min(max(limit, 0), Int64(refusalsPerReply))))
        case .data(let bytes):
            let request = try inner { () throws(EnclaveMessageFailure) in
                try EnclaveMessageCodec.decodeQuestion(body: bytes, secrets: secrets)
            }
            guard let request = DeviceRequest(request) else { throw .badField("device request") }
            return request
        case .array(let values):
            if secrets.isEmpty, let ending = try endingRequest(values) { return ending }
            return try listedQuestion(values, secrets: secrets)
        default:
            throw .badField("device request")
        }
    }

    private static func listedQuestion(
        _ values: [PropertyValue], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> any DeviceQuestion {
        var fields = MessageFields(values[...], secrets: secrets)
        guard let type = DeviceQuestions.type(of: try fields.integer("device request")) else {
            throw .badField("device request")
        }
        let question = try type.init(from: &fields)
        try fields.finish()
        guard secrets.isEmpty || fields.hasPasscode else { throw .badEnclaveMessage(.secretsLeft(secrets.count)) }
        return question
    }

    private enum ReplyKind: Int64 {
        case done = 1
        case status = 2
        case refusals = 3
        case refused = 4
        case teams = 5
        case applications = 6
        case forgotten = 7
        case declined = 8
        case biometry = 9
        case ownersTool = 10
        case adopted = 11
        case endings = 20
        case endedItems = 21
        case passcodeCost = 22
    }

    package static func encode(_ reply: DeviceReply) -> Encoded {
        switch reply {
        case .done:
            return (body(.deviceReply, [.integer(ReplyKind.done.rawValue)]), [])
        case .status(let status):
            return (body(.deviceReply, [.integer(ReplyKind.status.rawValue)] + statusFields(status)), [])
        case .refusals(let records):
            let list = records.prefix(refusalsPerReply).map { value(of: $0) }
            return (body(.deviceReply, [.integer(ReplyKind.refusals.rawValue), .array(list)]), [])
        case .teams(let teams):
            let list = teams.prefix(teamsPerReply).map { value(of: $0) }
            return (body(.deviceReply, [.integer(ReplyKind.teams.rawValue), .array(list)]), [])
        case .applications(let applications):
            let list = applications.prefix(applicationsPerReply).map { value(of: $0) }
            return (body(.deviceReply, [.integer(ReplyKind.applications.rawValue), .array(list)]), [])
        case .forgotten(let count):
            return (body(.deviceReply, [.integer(ReplyKind.forgotten.rawValue), .integer(Int64(count))]), [])
        case .ownersTool(let tool):
            return (body(.deviceReply, [.integer(ReplyKind.ownersTool.rawValue)] + Self.fields(of: tool)), [])
        case .adopted(let adoption):
            return (body(.deviceReply, [.integer(ReplyKind.adopted.rawValue)] + Self.fields(of: adoption)), [])
        case .declined(let code, let refusal):
            let fields = [.integer(ReplyKind.declined.rawValue), .integer(Int64(code.rawValue)), value(of: refusal)]
            return (body(.deviceReply, fields), [])
        case .endings(let preview):
            return (body(.deviceReply, [.integer(ReplyKind.endings.rawValue)] + fields(of: preview)), [])
        case .endedItems(let items):
            let list = items.prefix(endedItemsPerReply).map { value(of: $0) }
            return (body(.deviceReply, [.integer(ReplyKind.endedItems.rawValue), .array(list)]), [])
        case .passcodeCost(let seconds):
            let inner = EnclaveMessageCodec.encode(PasscodeTryCost(seconds: seconds)).body
            return (body(.deviceReply, [.integer(ReplyKind.passcodeCost.rawValue), .data(inner)]), [])
        case .unreachable(let refusal):
            return encode(DeviceReply.refused(.storage(reason: refusal.reason)))
        case .biometry(let reply):
            let inner = EnclaveMessageCodec.encode(reply).body
            return (body(.deviceReply, [.integer(ReplyKind.biometry.rawValue), .data(inner)]), [])
        case .refused(let refusal):
            let inner = EnclaveMessageCodec.encode(refusal).body
            return (body(.deviceReply, [.integer(ReplyKind.refused.rawValue), .data(inner)]), [])
        }
    }

    package static func decodeDeviceReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> DeviceReply {
        var fields = try fields(of: body, secrets: secrets, expected: .deviceReply)
        guard let kind = ReplyKind(rawValue: try fields.integer("reply")) else { throw .badField("reply") }
        let reply: DeviceReply
        switch kind {
        case .done: reply = .done
        case .status: reply = .status(try status(&fields))
        case .refusals: reply = .refusals(try records(&fields))
        case .refused:
            guard case .failure(let refusal) = try enclaveAnswer(Done.self, &fields) else { throw .badField("refusal") }
            reply = .refused(refusal)
        case .biometry:
            guard case .success(let inner) = try enclaveAnswer(BiometryReply.self, &fields) else {
                throw .badField("biometry")
            }
            reply = .biometry(inner)
        case .endings: reply = .endings(try endingPreview(&fields))
        case .endedItems: reply = .endedItems(try endedItems(&fields))
        case .passcodeCost:
            guard case .success(let cost) = try enclaveAnswer(PasscodeTryCost.self, &fields) else {
                throw .badField("passcode cost")
            }
            reply = .passcodeCost(secondsPerTry: cost.seconds)
        case .teams: reply = .teams(try teams(&fields))
        case .applications: reply = .applications(try applications(&fields))
        case .forgotten:
            guard let count = Int(exactly: try fields.integer("removed items")), count >= 0 else {
                throw .badField("removed items")
            }
            reply = .forgotten(removedItems: count)
        case .ownersTool: reply = .ownersTool(try ownersTool(&fields))
        case .adopted: reply = .adopted(try adoption(&fields))
        case .declined:
            let code = try resultCode(&fields)
            guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
            reply = .declined(code, try refusal(part))
        }
        try fields.finish()
        return reply
    }

    static func enclaveAnswer<Answer: EnclaveAnswer>(
        _ type: Answer.Type, _ fields: inout MessageFields
    ) throws(MessageCodingFailure) -> Result<Answer, EnclaveRefusal> {
        let bytes = try fields.data("enclave reply")
        return try inner { () throws(EnclaveMessageFailure) in
            try EnclaveMessageCodec.decode(type, body: bytes, secrets: [])
        }
    }

    static func inner<R>(
        _ decode: () throws(EnclaveMessageFailure) -> R
    ) throws(MessageCodingFailure) -> R {
        do throws(EnclaveMessageFailure) {
            return try decode()
        } catch {
            throw .badEnclaveMessage(error)
        }
    }
}
