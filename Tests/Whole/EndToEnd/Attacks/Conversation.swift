import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// Frames for the attack program, and what it got as answers.
enum Conversation {
    /// A frame with a request, without the nonce; `Docs/Formats/socket.md` has its bytes.
    static func frame(_ request: ItemRequest) -> Data { frame(MessageCoding.encode(request)) }

    static func frame(_ message: WireMessage) -> Data {
        let (body, secrets) = (message.body, message.secrets)
        func word(_ number: Int) -> Data { withUnsafeBytes(of: UInt32(number).littleEndian) { Data($0) } }
        var frame = Data("LKYS".utf8) + Data([1, 4, 0, 0]) + word(body.count) + word(secrets.count)
        frame += word(secrets.reduce(0) { $0 + $1.count }) + Data(count: 4 + 16)
        for secret in secrets { frame += word(secret.count) }
        frame += Data(body)
        for secret in secrets { frame += secret.withBytes { Data($0) } }
        return frame
    }

    /// Adds an item with a password.
    static func add(_ service: String, _ password: String = "secret") -> ItemRequest {
        let query = [
            QueryPair("class", .string("genp")), QueryPair("svce", .string(service)), QueryPair("v_Data", .secret(0)),
        ]
        let secret = password.utf8.withContiguousStorageIfAvailable { SecretBox(copying: UnsafeRawBufferPointer($0)) }
        return ItemRequest(operation: .add, query: query, wantsResult: false, secrets: secret.map { [$0] } ?? [])
    }

    /// Asks for the attributes of an item, its group among them.
    static func find(_ service: String) -> ItemRequest {
        ItemRequest(
            operation: .find,
            query: [
                QueryPair("class", .string("genp")), QueryPair("svce", .string(service)),
                QueryPair("r_Attributes", .boolean(true)),
            ], wantsResult: true)
    }

    /// The same in another program's group, with the owner's passcode.
    static func find(_ service: String, in group: String, withPasscode passcode: String) -> ItemRequest {
        var request = find(service)
        request.owner = OwnerAuthority(accessGroup: group, passcode: SecretBox(copying: Array(passcode.utf8)))
        return request
    }

    /// The reaction of the daemon.
    enum Outcome: Equatable, CustomStringConvertible {
        /// It ended the connection with this as its last word.
        case sentAway(String)
        /// It answered: the code, the rule of a refusal, the group of the item found.
        case answered(ResultCode, rule: Rule?, group: String?)
        case silence

        var description: String {
            switch self {
            case .sentAway(let word): "sent away: \(word)"
            case .answered(let code, let rule, let group):
                "answered \(code.rawValue), rule \(rule?.rawValue ?? "none"), group \(group ?? "none")"
            case .silence: "silence"
            }
        }
    }

    /// The outcomes in what an attack program wrote, line by line.
    static func outcomes(_ output: String) throws -> [Outcome] {
        try output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .filter { $0 != "ready" && $0 != "preloaded" }.map { try outcome(String($0)) }
    }

    /// The kind of the frame in a line, and its body; nil for an empty line.
    static func frame(in line: some StringProtocol) -> (kind: UInt8, body: [UInt8])? {
        let digits = Array(line.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
        guard bytes.count >= 40 else { return nil }
        func word(_ offset: Int) -> Int { bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        let start = 40 + word(12) * 4
        return (bytes[5], Array(bytes[start..<start + word(8)]))
    }

    static func outcome(_ line: String) throws -> Outcome {
        guard let (kind, body) = frame(in: line) else { return .silence }
        if kind == 5 { return .sentAway(String(decoding: body, as: UTF8.self)) }
        try #require(kind == 6, "a frame of kind \(kind)")
        let reply = try MessageCoding.decodeItemReply(body: body, secrets: [])
        var group: String?
        if case .dictionary(let attributes)? = reply.result, case .string(let text)? = attributes["agrp"] {
            group = text
        }
        return .answered(reply.code, rule: reply.refusal?.rule, group: group)
    }
}

extension Conversation.Outcome {
    /// An item of that group was found.
    static func found(in group: String) -> Self { .answered(.success, rule: nil, group: group) }
    static let stored = Self.answered(.success, rule: nil, group: nil)
    static let notFound = Self.answered(.itemNotFound, rule: nil, group: nil)
    /// No groups at all, for that reason.
    static func noGroups(_ rule: Rule) -> Self { .answered(.missingEntitlement, rule: rule, group: nil) }
}
