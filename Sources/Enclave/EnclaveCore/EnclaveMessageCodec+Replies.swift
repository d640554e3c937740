import LatchkeyKeybag
package import LatchkeySecretMemory

/// The second byte of a reply.
private enum ReplyKind: UInt8 {
    case done = 1
    /// An enclave that still runs after an update may send it.
    case shortStatus = 2
    case created = 3
    case createRefused = 4
    case keys = 5
    case changed = 6
    case refused = 7
    case createdKeys = 8
    case context = 9
    case biometry = 10
    case key = 11
    case status = 12
    case passcodeCost = 13
}

extension EnclaveMessageCodec {
    package static func encode(_ reply: EnclaveReply) -> (body: [UInt8], secrets: [SecretBox]) {
        var writer = MessageWriter(version: version, MessageNumber(kind(of: reply).rawValue))
        switch reply {
        case .done:
            break
        case .status(let status):
            status.write(to: &writer)
        case .created(let key, let wrapped):
            writer.bytes(wrapped)
            writer.secret(key)
        case .createdKeys(let keys):
            writer.count(keys.count)
            for key in keys {
                writer.bytes(key.wrapped)
                writer.secret(key.key)
            }
        case .createRefused(let refusal):
            writer.byte(refusal.rawValue)
        case .keys(let outcomes):
            writer.count(outcomes.count)
            for outcome in outcomes { outcome.write(to: &writer) }
        case .changed(let epoch):
            writer.number(epoch)
        case .passcodeCost(let secondsPerTry):
            writer.seconds(secondsPerTry)
        case .context(let reply):
            write(reply, to: &writer)
        case .biometry(let reply):
            write(reply, to: &writer)
        case .key(let reply):
            write(reply, to: &writer)
        case .refused(let refusal):
            refusal.write(to: &writer)
        }
        return (writer.body, writer.secrets)
    }

    package static func decodeReply(
        body: [UInt8], secrets: [SecretBox]
    ) throws(EnclaveMessageFailure) -> EnclaveReply {
        var reader = MessageReader(body: body, secrets: secrets)
        let number = try header(&reader)
        guard let kind = ReplyKind(rawValue: number) else { throw .unknownKind(number) }
        let reply = try reply(kind, &reader)
        try reader.finish()
        return reply
    }

    private static func reply(
        _ kind: ReplyKind, _ reader: inout MessageReader
    ) throws(EnclaveMessageFailure) -> EnclaveReply {
        switch kind {
        case .done:
            return .done
        case .shortStatus, .status:
            guard let status = try EnclaveStatus(MessageNumber(kind.rawValue), from: &reader) else {
                throw .unknownKind(kind.rawValue)
            }
            return .status(status)
        case .created:
            let wrapped = try reader.bytes("wrapped key", limit: wrappedKeyByteCount)
            return .created(key: try reader.secret(keyLengths), wrapped: wrapped)
        case .createdKeys:
            let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
            var keys: [CreatedKey] = []
            keys.reserveCapacity(count)
            for _ in 0..<count {
                let wrapped = try reader.bytes("wrapped key", limit: wrappedKeyByteCount)
                keys.append(CreatedKey(key: try reader.secret(keyLengths), wrapped: wrapped))
            }
            return .createdKeys(keys)
        case .createRefused:
            return .createRefused(try reader.choice("refusal", of: KeyRefusal.self))
        case .keys:
            let count = try reader.count("keys", limit: EnclaveLimits.keysPerBatch)
            var outcomes: [KeyOutcome] = []
            outcomes.reserveCapacity(count)
            for _ in 0..<count { outcomes.append(try KeyOutcome(from: &reader)) }
            return .keys(outcomes)
        case .changed:
            return .changed(epoch: try reader.number())
        case .passcodeCost:
            return .passcodeCost(secondsPerTry: try reader.seconds("seconds of a try"))
        case .context:
            return .context(try readContextReply(&reader))
        case .biometry:
            return .biometry(try readBiometryReply(&reader))
        case .key:
            return .key(try readKeyReply(&reader))
        case .refused:
            return .refused(try EnclaveRefusal(from: &reader))
        }
    }

    private static func kind(of reply: EnclaveReply) -> ReplyKind {
        switch reply {
        case .done: .done
        case .status: .status
        case .created: .created
        case .createdKeys: .createdKeys
        case .createRefused: .createRefused
        case .keys: .keys
        case .changed: .changed
        case .passcodeCost: .passcodeCost
        case .context: .context
        case .biometry: .biometry
        case .key: .key
        case .refused: .refused
        }
    }
}
