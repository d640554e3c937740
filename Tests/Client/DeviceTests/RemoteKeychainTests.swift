import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite("The keychain behind a socket")
struct RemoteKeychainTests {
    /// A daemon of this process that answers every find with its query's first value and its secrets.
    final class Daemon: Sendable {
        let server: Server
        /// From request number `losingFrom` on it reads one and closes the connection without an answer.
        init(path: String, losingFrom: Int = .max) throws {
            let counter = Counter()
            let server = Server(
                listener: try Listener(path: path), admission: { _ in .allowed }, log: { _ in }
            ) { connection throws(TransportFailure) in
                while let message = try connection.receive() {
                    let number = counter.value.withLock { count in
                        count += 1
                        return count
                    }
                    if number >= losingFrom { return }
                    let reply = Self.reply(to: message, number, hello: connection.hello)
                    try connection.send(reply)
                }
            }
            try server.start()
            self.server = server
            self.counter = counter
        }

        private let counter: Counter

        var requestCount: Int { counter.value.withLock { $0 } }

        private static func reply(
            to message: WireMessage, _ number: Int, hello: [UInt8]
        ) -> WireMessage {
            guard let call = try? MessageCoding.decodeRequest(body: message.body, secrets: message.secrets) else {
                return MessageCoding.encode(ItemReply(code: .param))
            }
            switch call {
            // Like a daemon of a revision before.
            case .itemParts, .nextPart:
                return MessageCoding.encode(ItemReply(code: .param))
            case .item(let request):
                let caller = (try? MessageCoding.decodeCaller(hello))?.name
                let result = PropertyValue.array([request.query.first?.value ?? .null, .string(caller ?? "nobody")])
                return MessageCoding.encode(ItemReply(code: .success, result: result, secrets: request.secrets))
            case .device:
                return MessageCoding.encode([], to: ListRefusals.self)
            case .authentication:
                return CheckPolicy.message(of: PolicyFulfilment(domainState: [UInt8(truncatingIfNeeded: number)]))
            case .agent:
                return AwaitPrompt.message(of: .nothing)
            case .key:
                return SignWithKey.message(of: EnclaveKeySignature([UInt8(truncatingIfNeeded: number)]))
            case .fileKey:
                return OpenFileKeys.message(of: OpenedFileKeys([.failure(FileKeyRefusal(.decode))]))
            case .event:
                return MessageCoding.encode(WatchEnded())
            case .itemChange:
                return MessageCoding.encode(ItemWatchEnded.tooMany)
            }
        }
    }

    final class Counter: Sendable {
        let value = Mutex(0)
    }

    private func request(_ operation: ItemOperation, _ value: PropertyValue = .secret(0)) -> ItemRequest {
        ItemRequest(
            operation: operation, query: [QueryPair("v_Data", value)], wantsResult: true,
            secrets: [SecretBox(copying: [1, 2, 3])])
    }

    @Test("calls and answers come through, with the declared caller")
    func calls() throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock")
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(
            socketPath: directory.path + "/k.sock",
            declaredCaller: Caller(name: "com.example.mail", accessGroups: ["mail"]))
        let reply = keychain.perform(request(.find))
        #expect(reply.code == .success)
        #expect(reply.result == .array([.secret(0), .string("com.example.mail")]))
        #expect(reply.secrets.first?.equals(SecretBox(copying: [1, 2, 3])) == true)
        #expect(try keychain.ask(ListRefusals(limit: 1)).isEmpty)
    }

    @Test("threads call at the same time and get their own answers")
    func concurrency() async throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock")
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        await withTaskGroup(of: Void.self) { group in
            for number in Int64(0)..<16 {
                group.addTask {
                    for round in Int64(0)..<20 {
                        let reply = keychain.perform(self.request(.find, .integer(number * 100 + round)))
                        #expect(reply.result == .array([.integer(number * 100 + round), .string("nobody")]))
                    }
                }
            }
        }
    }

    @Test("without a daemon the call says so and what to do")
    func unreachable() throws {
        let directory = try SocketDirectory()
        let reply = RemoteKeychain(socketPath: directory.path + "/none.sock").perform(request(.add))
        #expect(reply.code == .notAvailable)
        #expect(reply.refusal?.rule == .daemonUnreachable)
        #expect(reply.refusal?.advice.contains("latchkeyd") == true)
    }

    @Test(
        "a daemon that was restarted between two calls is found again, for every operation",
        arguments: ItemOperation.allCases)
    func restarted(operation: ItemOperation) throws {
        let directory = try SocketDirectory()
        let path = directory.path + "/k.sock"
        let first = try Daemon(path: path)
        let keychain = RemoteKeychain(socketPath: path)
        #expect(keychain.perform(request(.find)).code == .success)
        first.server.stop()
        eventually { first.server.connectionCount == 0 }
        let second = try Daemon(path: path)
        defer { second.server.stop() }
        #expect(keychain.perform(request(operation)).code == .success)
        #expect(second.requestCount == 1)
    }

    @Test("a call whose answer is lost is repeated only if it is a find", arguments: ItemOperation.allCases)
    func lostAnswer(operation: ItemOperation) throws {
        let directory = try SocketDirectory()
        let path = directory.path + "/k.sock"
        let daemon = try Daemon(path: path, losingFrom: 2)
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: path)
        #expect(keychain.perform(request(.find)).code == .success)
        let reply = keychain.perform(request(operation))
        #expect(reply.code == .notAvailable)
        #expect(reply.refusal?.rule == .daemonConnectionLost)
        #expect(daemon.requestCount == (operation == .find ? 3 : 2))
    }

    @Test("a call above the limit is refused as too large, and the next one works")
    func tooLarge() throws {
        let directory = try SocketDirectory()
        let daemon = try Daemon(path: directory.path + "/k.sock")
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: directory.path + "/k.sock")
        let large = PropertyValue.data([UInt8](repeating: 0, count: TransportLimits.bodyByteCount + 1))
        let reply = keychain.perform(request(.add, large))
        #expect(reply.code == .dataTooLarge)
        #expect(reply.refusal?.rule == .messageTooLarge)
        #expect(keychain.perform(request(.find)).code == .success)
    }
}
