import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

extension MessageCoding {
    package static func encode(_ request: ItemRequest) -> WireMessage { encode(request, as: .itemRequest) }

    static func encode(_ request: ItemRequest, as kind: Kind) -> WireMessage {
        var secrets = request.secrets
        var owner = PropertyValue.null
        if let authority = request.owner {
            owner = .array([.string(authority.accessGroup), .secret(secrets.count)])
            secrets.append(authority.passcode)
        }
        return message(
            kind,
            [
                .integer(request.operation.rawValue), list(request.query), list(request.changes),
                .boolean(request.wantsResult), owner, request.interaction.map { value(of: $0) } ?? .null,
            ], secrets: secrets)
    }

    static func itemRequest(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> ItemRequest {
        var fields = fields
        guard let operation = ItemOperation(rawValue: try fields.integer("operation")) else {
            throw .badField("operation")
        }
        var request = ItemRequest(
            operation: operation, query: try fields.pairs("query"), changes: try fields.pairs("changes"),
            wantsResult: try fields.boolean("wants result"), secrets: secrets)
        if var owner = try fields.part("owner") {
            let group = try owner.text("owner's group")
            let index = try owner.secretIndex("owner's passcode")
            try owner.finish()
            // The passcode comes last and does not stay among the secrets that the query can name.
            guard index == secrets.count - 1, !request.names(secret: index) else { throw .badField("owner's passcode") }
            request.owner = OwnerAuthority(accessGroup: group, passcode: secrets[index])
            request.secrets.removeLast()
        }
        if var part = try fields.part("interaction") { request.interaction = try interaction(inPart: &part) }
        try fields.finish()
        return request
    }

    package static func encode(_ reply: ItemReply) -> WireMessage {
        message(.itemReply, values(of: reply), secrets: reply.secrets)
    }

    static func values(of reply: ItemReply) -> [PropertyValue] {
        let refusal = reply.refusal.map { value(of: $0) } ?? .null
        return [
            .integer(Int64(reply.code.rawValue)), reply.result.map { .array([$0]) } ?? .null, refusal,
            .integer(Int64(reply.affectedRows)),
        ]
    }

    package static func decodeItemReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> ItemReply {
        try itemReply(fields(of: body, secrets: secrets, expected: .itemReply), secrets: secrets)
    }

    static func itemReply(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> ItemReply {
        var fields = fields
        var reply = ItemReply(code: try resultCode(&fields), secrets: secrets)
        if var part = try fields.part("result") {
            reply.result = try part.value("result")
            try part.finish()
        }
        if let part = try fields.part("refusal") { reply.refusal = try refusal(part) }
        guard let rows = Int(exactly: try fields.integer("affected rows")), rows >= 0 else {
            throw .badField("affected rows")
        }
        reply.affectedRows = rows
        try fields.finish()
        return reply
    }

    static func resultCode(_ fields: inout MessageFields) throws(MessageCodingFailure) -> ResultCode {
        guard let number = Int32(exactly: try fields.integer("code")) else { throw .badField("code") }
        return ResultCode(rawValue: number)
    }

    static func value(of refusal: Refusal) -> PropertyValue {
        .array([.string(refusal.ruleName), .string(refusal.reason), .string(refusal.advice)])
    }

    static func refusal(_ fields: MessageFields) throws(MessageCodingFailure) -> Refusal {
        var fields = fields
        let refusal = Refusal(
            ruleName: try fields.text("rule"), reason: try fields.text("reason"), advice: try fields.text("advice"))
        try fields.finish()
        return refusal
    }

    private static func list(_ pairs: [QueryPair]) -> PropertyValue {
        var values: [PropertyValue] = []
        values.reserveCapacity(2 * pairs.count)
        for pair in pairs {
            values.append(pair.key)
            values.append(pair.value)
        }
        return .array(values)
    }
}

extension ItemRequest {
    fileprivate func names(secret index: Int) -> Bool {
        (query + changes).contains { $0.key.names(secret: index) || $0.value.names(secret: index) }
    }
}

extension PropertyValue {
    fileprivate func names(secret index: Int) -> Bool {
        switch self {
        case .secret(let named): named == index
        case .array(let values): values.contains { $0.names(secret: index) }
        case .dictionary(let dictionary): dictionary.values.contains { $0.names(secret: index) }
        case .null, .boolean, .integer, .string, .data, .date, .reference: false
        }
    }
}
