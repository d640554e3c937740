import LatchkeyEnclaveContract
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Lock and unlock as events (`Docs/Formats/socket.md`).
extension MessageCoding {
    package static func encode(_ request: EventRequest) -> WireMessage {
        message(.eventRequest, [request.after.map { .integer($0) } ?? .null])
    }

    static func eventRequest(_ fields: MessageFields) throws(MessageCodingFailure) -> EventRequest {
        guard fields.secrets.isEmpty else { throw .badEnclaveMessage(.secretsLeft(fields.secrets.count)) }
        var fields = fields
        let after = try fields.optionalInteger("after")
        try fields.finish()
        return EventRequest(after: after)
    }

    package static func encode(_ reply: EventReply) -> WireMessage {
        switch reply {
        case .event(let event):
            message(.eventReply, [.integer(event.number), .integer(event.state.rawValue)])
        case .ended: message(.eventReply, [])
        }
    }

    package static func decodeEventReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> EventReply {
        var fields = try fields(of: body, secrets: secrets, expected: .eventReply)
        guard fields.hasMore else { return .ended }
        let number = try fields.integer("number")
        guard let state = ProtectedDataState(rawValue: try fields.integer("state")) else { throw .badField("state") }
        try fields.finish()
        return .event(ProtectedDataEvent(number: number, state: state))
    }
}
