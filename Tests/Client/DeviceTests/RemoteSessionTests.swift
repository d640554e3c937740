import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("An authentication context at a daemon is a connection")
struct RemoteSessionTests {
    private let directory: SocketDirectory
    private var path: String { directory.path + "/k.sock" }

    init() throws {
        directory = try SocketDirectory()
    }

    @Test("requests of one context go over one connection, those of another over another")
    func connections() throws {
        let daemon = try RemoteKeychainTests.Daemon(path: path)
        defer { daemon.server.stop() }
        let keychain = RemoteKeychain(socketPath: path)
        let (first, second) = (keychain.openSession(), keychain.openSession())
        #expect(daemon.server.connectionCount == 0, "nothing was asked yet")
        for _ in 0..<3 { #expect(Self.isDone(first)) }
        #expect(daemon.server.connectionCount == 1)
        #expect(Self.isDone(second))
        #expect(daemon.server.connectionCount == 2)
        #expect(first.perform(Self.search).code == .success)
        #expect(daemon.server.connectionCount == 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test("a context that ends closes its connection and answers nothing any more")
    func end() throws {
        let daemon = try RemoteKeychainTests.Daemon(path: path)
        defer { daemon.server.stop() }
        let session = RemoteKeychain(socketPath: path).openSession()
        #expect(Self.isDone(session))
        session.end()
        eventually { daemon.server.connectionCount == 0 }
        #expect(Self.rule(session) == .contextEnded)
        let reply = session.perform(Self.search)
        #expect(reply.code == .authFailed && reply.refusal?.rule == .contextEnded)
        #expect(daemon.requestCount == 1)
    }

    @Test("one that the program does not keep ends by itself")
    func letGo() throws {
        let daemon = try RemoteKeychainTests.Daemon(path: path)
        defer { daemon.server.stop() }
        do {
            let session = RemoteKeychain(socketPath: path).openSession()
            #expect(Self.isDone(session))
        }
        eventually { daemon.server.connectionCount == 0 }
        #expect(daemon.server.connectionCount == 0)
    }

    @Test("a daemon that goes away takes the proof with it: the context says so and never connects again")
    func lost() throws {
        let daemon = try RemoteKeychainTests.Daemon(path: path, losingFrom: 2)
        defer { daemon.server.stop() }
        let session = RemoteKeychain(socketPath: path).openSession()
        #expect(Self.isDone(session))
        #expect(Self.rule(session) == .daemonConnectionLost)
        #expect(Self.rule(session) == .contextLost)
        #expect(session.perform(Self.search).refusal?.rule == .contextLost)
        #expect(daemon.requestCount == 2)
    }

    @Test("without a daemon the context says how to get one")
    func unreachable() {
        let session = RemoteKeychain(socketPath: path).openSession()
        #expect(Self.rule(session) == .daemonUnreachable)
        #expect(session.perform(Self.search).code == .notAvailable)
    }

    private static let search = ItemRequest(
        operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: true, interaction: Interaction())

    private static func isDone(_ session: any AuthenticationSession) -> Bool {
        (try? session.ask(CheckPolicy(.deviceOwner))) != nil
    }

    /// The rule of the refusal; nil if the question is answered.
    private static func rule(_ session: any AuthenticationSession) -> Rule? {
        do throws(AuthenticationRefusal) {
            try session.ask(CheckPolicy(.deviceOwner))
            return nil
        } catch {
            return error.refusal.rule
        }
    }
}
