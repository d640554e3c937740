import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

extension MessageCoding {
    private enum RequestKind: Int64 {
        case check = 1
        case evaluate = 2
        case evaluateAccessControl = 3
        case setApplicationPassword = 4
        case setPasscode = 5
        case biometry = 6
    }

    package static func encode(_ request: AuthenticationRequest) -> WireMessage {
        switch request {
        case .check(let policy):
            return encoded(.check, [.integer(Int64(policy.rawValue))])
        case .evaluate(let policy, let interaction):
            return encoded(.evaluate, [.integer(Int64(policy.rawValue)), value(of: interaction)])
        case .evaluateAccessControl(let control, let operation, let interaction):
            return encoded(
                .evaluateAccessControl,
                [.data(control.serialised), .string(operation.rawValue), value(of: interaction)])
        case .setApplicationPassword(let password):
            return encoded(.setApplicationPassword, secret: password)
        case .setPasscode(let passcode):
            return encoded(.setPasscode, secret: passcode)
        case .biometry:
            return encoded(.biometry, [])
        }
    }

    private static func encoded(_ kind: RequestKind, _ fields: [PropertyValue]) -> WireMessage {
        message(.authenticationRequest, [.integer(kind.rawValue)] + fields)
    }

    private static func encoded(_ kind: RequestKind, secret: SecretBox?) -> WireMessage {
        let field: PropertyValue = secret == nil ? .null : .array([.secret(0)])
        return message(.authenticationRequest, [.integer(kind.rawValue), field], secrets: secret.map { [$0] } ?? [])
    }

    static func authenticationRequest(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> AuthenticationRequest {
        var fields = fields
        guard let kind = RequestKind(rawValue: try fields.integer("request")) else { throw .badField("request") }
        let request: AuthenticationRequest
        switch kind {
        case .check:
            request = .check(try policy(&fields))
        case .evaluate:
            let policy = try policy(&fields)
            request = .evaluate(policy, try interaction(&fields))
        case .evaluateAccessControl:
            let control = try accessControl(&fields)
            guard let operation = GuardedOperation(rawValue: try fields.text("operation")) else {
                throw .badField("operation")
            }
            request = .evaluateAccessControl(control, operation: operation, try interaction(&fields))
        case .setApplicationPassword:
            request = .setApplicationPassword(try secret(&fields, secrets))
        case .setPasscode:
            request = .setPasscode(try secret(&fields, secrets))
        case .biometry:
            request = .biometry
        }
        try fields.finish()
        return request
    }

    private static func policy(_ fields: inout MessageFields) throws(MessageCodingFailure) -> AuthenticationPolicy {
        guard let number = UInt8(exactly: try fields.integer("policy")),
            let policy = AuthenticationPolicy(rawValue: number)
        else { throw .badField("policy") }
        return policy
    }

    private static func secret(
        _ fields: inout MessageFields, _ secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> SecretBox? {
        guard var part = try fields.part("secret") else { return nil }
        let index = try part.secretIndex("secret")
        try part.finish()
        return secrets[index]
    }

    private enum ReplyKind: Int64 {
        case done = 1
        case biometry = 2
        case failed = 3
    }

    package static func encode(_ reply: AuthenticationReply) -> WireMessage {
        switch reply {
        case .done(let state):
            return message(.authenticationReply, [.integer(ReplyKind.done.rawValue), optional(state)])
        case .biometry(let status, let state):
            let inner = EnclaveMessageCodec.encode(status).body
            return message(
                .authenticationReply, [.integer(ReplyKind.biometry.rawValue), .data(inner), optional(state)])
        case .failed(let error, let refusal):
            let fields: [PropertyValue] = [
                .integer(ReplyKind.failed.rawValue), .integer(error.rawValue), value(of: refusal),
            ]
            return message(.authenticationReply, fields)
        }
    }

    package static func decodeAuthenticationReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> AuthenticationReply {
        var fields = try fields(of: body, secrets: secrets, expected: .authenticationReply)
        guard let kind = ReplyKind(rawValue: try fields.integer("reply")) else { throw .badField("reply") }
        let reply: AuthenticationReply
        switch kind {
        case .done:
            reply = .done(domainState: try optionalData(&fields))
        case .biometry:
            guard case .success(let status) = try enclaveAnswer(BiometryStatus.self, &fields) else {
                throw .badField("biometry")
            }
            reply = .biometry(status, domainState: try optionalData(&fields))
        case .failed:
            guard let error = AuthenticationError(rawValue: try fields.integer("error")) else {
                throw .badField("error")
            }
            guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
            reply = .failed(error, try refusal(part))
        }
        try fields.finish()
        return reply
    }

    private static func optional(_ bytes: [UInt8]?) -> PropertyValue {
        bytes.map { .array([.data($0)]) } ?? .null
    }

    private static func optionalData(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [UInt8]? {
        guard var part = try fields.part("domain state") else { return nil }
        let bytes = try part.data("domain state")
        try part.finish()
        return bytes
    }
}
