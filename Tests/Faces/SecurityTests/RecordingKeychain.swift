import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Synchronization

/// Remembers what it was asked and answers what it was told to.
final class RecordingKeychain: Keychain {
    private let answer: ItemReply
    private let asked = Mutex<[ItemRequest]>([])

    init(answering answer: ItemReply = ItemReply(code: .success)) {
        self.answer = answer
    }

    convenience init(code: ResultCode = .success, result: PropertyValue?, secrets: [[UInt8]] = []) {
        self.init(answering: ItemReply(code: code, result: result, secrets: secrets.map { SecretBox(copying: $0) }))
    }

    var requests: [ItemRequest] { asked.withLock { $0 } }

    func perform(_ request: ItemRequest) -> ItemReply {
        asked.withLock { $0.append(request) }
        return answer
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        throw EnclaveKeyRefusal(.unimplemented)
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        throw FileKeyRefusal(.unimplemented)
    }

    func openSession() -> any AuthenticationSession { EndedSession() }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        throw .unreachable(.withoutRule(reason: "There is no device."))
    }

    /// Runs `body` with this keychain as the current one.
    func whileCurrent<R>(_ body: () throws -> R) rethrows -> R {
        try CurrentKeychain.$scoped.withValue(self) { try body() }
    }
}

extension ItemRequest {
    /// The pairs of the query with text keys.
    var queryByName: [String: PropertyValue] { Self.byName(query) }
    /// The pairs of the changes with text keys.
    var changesByName: [String: PropertyValue] { Self.byName(changes) }

    private static func byName(_ pairs: [QueryPair]) -> [String: PropertyValue] {
        var values: [String: PropertyValue] = [:]
        for case (.string(let name), let value) in pairs.map({ ($0.key, $0.value) }) { values[name] = value }
        return values
    }
}

extension SecretBox {
    var bytesForTests: [UInt8] { withBytes { [UInt8]($0) } }
}
