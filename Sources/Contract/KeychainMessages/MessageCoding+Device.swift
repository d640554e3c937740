import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// A decoded request from the socket.
package enum KeychainCall: Sendable {
    case item(ItemRequest)
    case device(any DeviceQuestion)
    case authentication(any AuthenticationQuestion)
    case agent(any AgentQuestion)
    case key(any KeyQuestion)
    case event(AwaitEvent)
    case fileKey(any FileKeyQuestion)
    case itemChange(AwaitItemChange)
    /// A find whose answer may come in parts.
    case itemParts(ItemRequest)
    /// The question for the next part, while a find's answer is under way.
    case nextPart
}

extension MessageCoding {
    /// Decodes a request to the keychain. Replies are refused.
    package static func decodeRequest(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> KeychainCall {
        let (kind, fields) = try fields(of: body, secrets: secrets)
        switch kind {
        case .itemRequest: return .item(try itemRequest(fields, secrets: secrets))
        case .deviceRequest: return .device(try deviceQuestion(fields, secrets: secrets))
        case .authenticationRequest: return .authentication(try authenticationQuestion(fields))
        case .agentRequest: return .agent(try agentQuestion(fields))
        case .keyRequest: return .key(try keyQuestion(fields))
        case .eventRequest: return .event(try eventQuestion(fields))
        case .fileKeyRequest: return .fileKey(try fileKeyQuestion(fields))
        case .itemChangeRequest: return .itemChange(try itemChangeQuestion(fields))
        case .itemPartsRequest: return .itemParts(try itemPartsRequest(fields, secrets: secrets))
        case .nextPartRequest: return try nextPartRequest(fields)
        case .itemReply, .itemPartReply, .deviceReply, .authenticationReply, .agentReply, .keyReply, .eventReply,
            .fileKeyReply,
            .itemChangeReply:
            throw .unexpectedMessage(found: kind.rawValue)
        }
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
            return ListRefusals(wireLimit: limit)
        case .data(let bytes): return try forwardedQuestion(bytes, secrets: secrets)
        case .array(let values):
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
        guard secrets.isEmpty || fields.isSecretCountKnown else {
            throw .badEnclaveMessage(.secretsLeft(secrets.count))
        }
        return question
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
