import LatchkeyAccessControl
import LatchkeySecretMemory

/// The first byte of a request about authentication contexts.
private enum ContextRequestKind: UInt8 {
    case open = 1
    case close = 2
    case allowReuse = 3
    case assessPolicy = 4
    case assessAccessControl = 5
    case matchFinger = 6
    case cancelMatch = 7
    case offerPasscode = 8
    case setApplicationPassword = 9
    case bind = 10
}

/// The first byte of a reply about authentication contexts.
private enum ContextReplyKind: UInt8 {
    case done = 1
    case opened = 2
    case unknown = 3
    case tooMany = 4
    case granted = 5
    case needs = 6
    case refused = 7
    case match = 8
    case bound = 9
    case notBound = 10
}

extension EnclaveMessageCodec {
    static func write(_ context: ContextIdentifier?, to writer: inout MessageWriter) {
        for byte in context?.bytes ?? [] { writer.byte(byte) }
    }

    static func readContext(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> ContextIdentifier {
        var bytes: [UInt8] = []
        for _ in 0..<ContextIdentifier.byteCount { bytes.append(try reader.byte()) }
        guard let context = ContextIdentifier(bytes) else { throw .truncated }
        return context
    }

    static func write(_ request: ContextRequest, to writer: inout MessageWriter) {
        func kind(_ kind: ContextRequestKind) { writer.byte(kind.rawValue) }
        switch request {
        case .open:
            kind(.open)
        case .close(let context):
            kind(.close)
            write(context, to: &writer)
        case .allowReuse(let seconds, let context):
            kind(.allowReuse)
            write(context, to: &writer)
            writer.seconds(seconds)
        case .assess(.policy(let policy), let context):
            kind(.assessPolicy)
            write(context, to: &writer)
            writer.byte(policy.rawValue)
        case .assess(.accessControl(let accessControl, let operation), let context):
            kind(.assessAccessControl)
            write(context, to: &writer)
            writer.bytes(accessControl.serialised)
            writer.byte(number(of: operation, in: operations))
        case .matchFinger(let seconds, let context):
            kind(.matchFinger)
            write(context, to: &writer)
            writer.seconds(seconds)
        case .cancelMatch(let context):
            kind(.cancelMatch)
            write(context, to: &writer)
        case .offerPasscode(let passcode, let context):
            kind(.offerPasscode)
            write(context, to: &writer)
            writer.secret(passcode)
        case .setApplicationPassword(let password, let context):
            kind(.setApplicationPassword)
            write(context, to: &writer)
            writer.optional(password) { $0.secret($1) }
        case .bind(let accessControl):
            kind(.bind)
            writer.bytes(accessControl.serialised)
        }
    }

    static func readContextRequest(
        _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> ContextRequest {
        let kind = try reader.choice("context request", of: ContextRequestKind.self)
        if kind == .open { return .open }
        if kind == .bind {
            return .bind(accessControl: try readAccessControl(&reader))
        }
        let context = try readContext(&reader)
        switch kind {
        case .open, .close:
            return .close(context)
        case .allowReuse:
            return .allowReuse(seconds: try reader.seconds("reuse window"), context)
        case .assessPolicy:
            return .assess(.policy(try reader.choice("policy", of: AuthenticationPolicy.self)), context)
        case .assessAccessControl, .bind:
            let accessControl = try readAccessControl(&reader)
            let operation = try readMember("operation", of: operations, &reader)
            return .assess(.accessControl(accessControl, operation), context)
        case .matchFinger:
            return .matchFinger(seconds: try reader.seconds("wait"), context)
        case .cancelMatch:
            return .cancelMatch(context)
        case .offerPasscode:
            return .offerPasscode(try reader.secret(passcodeLengths), context)
        case .setApplicationPassword:
            let password = try reader.optional("application password") { reader throws(EnclaveMessageFailure) in
                try reader.secret(applicationPasswordLengths)
            }
            return .setApplicationPassword(password, context)
        }
    }

    static func write(_ reply: ContextReply, to writer: inout MessageWriter) {
        func kind(_ kind: ContextReplyKind) { writer.byte(kind.rawValue) }
        switch reply {
        case .done:
            kind(.done)
        case .opened(let context):
            kind(.opened)
            write(context, to: &writer)
        case .unknown:
            kind(.unknown)
        case .tooMany:
            kind(.tooMany)
        case .verdict(.granted):
            kind(.granted)
        case .verdict(.needs(let kinds)):
            kind(.needs)
            writer.byte(kinds.rawValue)
        case .verdict(.refused(let rule)):
            kind(.refused)
            writer.byte(number(of: rule, in: rules))
        case .match(let outcome):
            kind(.match)
            write(outcome, to: &writer)
        case .bound(let accessControl):
            kind(.bound)
            writer.bytes(accessControl.serialised)
        case .notBound(let rule):
            kind(.notBound)
            writer.optional(rule) { $0.byte(number(of: $1, in: rules)) }
        }
    }

    static func readContextReply(_ reader: inout MessageReader) throws(EnclaveMessageFailure) -> ContextReply {
        switch try reader.choice("context reply", of: ContextReplyKind.self) {
        case .done: return .done
        case .opened: return .opened(try readContext(&reader))
        case .unknown: return .unknown
        case .tooMany: return .tooMany
        case .granted: return .verdict(.granted)
        case .needs:
            let kinds = EvidenceKinds(rawValue: try reader.byte())
            guard kinds.isSubset(of: [.match, .passcode, .applicationPassword]), !kinds.isEmpty else {
                throw .badValue(field: "evidence", found: UInt64(kinds.rawValue))
            }
            return .verdict(.needs(kinds))
        case .refused: return .verdict(.refused(try readRule(&reader)))
        case .match: return .match(try readOutcome(&reader))
        case .bound: return .bound(try readAccessControl(&reader))
        case .notBound:
            return .notBound(
                try reader.optional("rule") { reader throws(EnclaveMessageFailure) in try readRule(&reader) })
        }
    }
}
