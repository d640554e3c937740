import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Synchronization
import Testing

@Suite("Answers in parts, through a socket")
struct AnswerPartTests {
    /// A daemon of this process that answers a find with its parts, one for each message.
    final class Daemon: Sendable {
        let server: Server
        private let log: Log

        enum Step: Sendable, Equatable {
            case find, findInParts, next, other
        }

        /// - Parameters:
        ///   - losing: the messages, counted from 1, on which the connection ends without an answer.
        ///   - givingUp: those before which the daemon has given up the search.
        init(path: String, knowsParts: Bool = true, losing: Set<Int> = [], givingUp: Set<Int> = []) throws {
            let log = Log()
            let server = Server(listener: try Listener(path: path), admission: { _ in .allowed }, log: { _ in }) {
                connection throws(TransportFailure) in
                let number = log.steps.withLock { steps in
                    steps.append([])
                    return steps.count
                }
                var part = 0
                while let message = try connection.receive() {
                    let step = Self.step(message)
                    let count = log.steps.withLock { steps in
                        steps[number - 1].append(step)
                        return steps.joined().count
                    }
                    if losing.contains(count) { return }
                    if step == .findInParts { part = 0 }
                    guard knowsParts || step != .findInParts, !givingUp.contains(count) else {
                        try connection.send(MessageCoding.encode(ItemReply(code: .param)))
                        continue
                    }
                    if step == .find {
                        let reply = ItemReply(code: .success, result: .array([.integer(9)]))
                        try connection.send(MessageCoding.encode(reply))
                        continue
                    }
                    let secret = SecretBox(copying: [UInt8(part)])
                    let reply = ItemReply(code: .success, result: .array([.secret(part)]), secrets: [secret])
                    try connection.send(
                        MessageCoding.encode(
                            ItemReplyPart(reply, number: part, secretsBefore: part, isLast: part == 2)))
                    part += 1
                }
            }
            try server.start()
            self.server = server
            self.log = log
        }

        var steps: [[Step]] { log.steps.withLock { $0 } }

        private static func step(_ message: WireMessage) -> Step {
            switch try? MessageCoding.decodeRequest(body: message.body, secrets: message.secrets) {
            case .item?: .find
            case .itemParts?: .findInParts
            case .nextPart?: .next
            default: .other
            }
        }
    }

    final class Log: Sendable {
        let steps = Mutex<[[Daemon.Step]]>([])
    }

    private static let all = ItemRequest(
        operation: .find, query: [QueryPair("m_Limit", .string("m_LimitAll"))], wantsResult: true)

    private func expectAllParts(_ reply: ItemReply) {
        #expect(reply.code == .success)
        #expect(reply.result == .array([.secret(0), .secret(1), .secret(2)]))
        #expect(reply.secrets.map { secret in secret.withBytes { $0.first } } == [0, 1, 2])
    }

    @Test("come over one connection, of a keychain and of an authentication context")
    func oneConnection() throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock")
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        for _ in 0..<2 { expectAllParts(keychain.perform(Self.all)) }
        let session = keychain.openSession()
        defer { session.end() }
        expectAllParts(session.perform(Self.all))
        let find: [Daemon.Step] = [.findInParts, .next, .next]
        #expect(daemon.steps == [find + find, find])
    }

    @Test("are asked for again from the first, once, if the connection ends among them")
    func lost() throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock", losing: [5, 10, 12])
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        expectAllParts(keychain.perform(Self.all))
        expectAllParts(keychain.perform(Self.all))
        let find: [Daemon.Step] = [.findInParts, .next, .next]
        #expect(daemon.steps == [find + find.dropLast(), find])
        let reply = keychain.perform(Self.all)
        #expect(reply.code == .notAvailable && reply.refusal?.rule == .daemonConnectionLost && reply.result == nil)
        expectAllParts(keychain.perform(Self.all))
    }

    @Test("begin anew over the same connection if the daemon has given up the search")
    func givenUp() throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock", givingUp: [2, 5])
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        let session = keychain.openSession()
        defer { session.end() }
        expectAllParts(session.perform(Self.all))
        #expect(daemon.steps == [[.findInParts, .next, .findInParts, .next, .next, .findInParts, .next, .next]])
    }

    @Test("are not asked of a daemon of a revision before")
    func revisionBefore() throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock", knowsParts: false)
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        #expect(keychain.perform(Self.all).result == .array([.integer(9)]))
        #expect(daemon.steps == [[.findInParts, .find]])
        let session = keychain.openSession()
        defer { session.end() }
        #expect(session.perform(Self.all).result == .array([.integer(9)]))
    }
}
