import Glibc
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@testable import LatchkeyLocalTransport

@Suite("Connections begin and end as they should")
struct ConnectionTests {
    /// Returns the server's end of a connection, and what the client does with the other.
    private func connection<Value: Sendable>(
        hello: [UInt8] = [], client: @escaping @Sendable (ClientConnection?) -> Value
    ) throws -> (ServerConnection, Pending<Value>) {
        let directory = try TemporaryDirectory()
        let listener = try Listener(path: directory.path("s"))
        defer { listener.close() }
        let outcome = Pending { client(try? ClientConnection(connectingTo: directory.path("s"), hello: hello)) }
        return (try listener.accept().greet(), outcome)
    }

    @Test("the server knows which program connected")
    func peer() throws {
        let own = try PeerIdentity.ofThisProcess()
        let (connection, _) = try connection(hello: [4, 2]) { _ = try? $0?.call(WireMessage(body: [])) }
        #expect(connection.peer == own)
        #expect(connection.hello == [4, 2])
        #expect(try connection.receive()?.body == [])
    }

    @Test("a server that waits for a while takes what comes in time, and keeps a connection on which nothing comes")
    func limitedWait() throws {
        let (connection, answers) = try connection { client in
            let first = try? client?.call(WireMessage(body: [1])).body
            return [first, try? client?.call(WireMessage(body: [2])).body]
        }
        #expect(try connection.receive(within: 60)?.body == [1])
        // The client waits for its answer, and asks nothing else.
        #expect(throws: TransportFailure.timedOut) { try connection.receive(within: 0) }
        try connection.send(WireMessage(body: [3]), within: 60)
        #expect(try connection.receive(within: 60)?.body == [2])
        try connection.send(WireMessage(body: [4]))
        #expect(answers.value == [[3], [4]])
        #expect(try connection.receive(within: 60) == nil)
    }

    @Test("a reply for which a client leaves no room ends the connection in time")
    func noRoom() throws {
        let (connection, client) = try connection { $0 }
        defer { withExtendedLifetime(client.value) {} }
        // The client receives none of these.
        let reply = WireMessage(body: [UInt8](repeating: 1, count: 32 << 10))
        var sent = 0
        #expect(throws: TransportFailure.timedOut) {
            while sent < 1000 {
                try connection.send(reply, within: 0)
                sent += 1
            }
        }
        #expect(sent > 0)
        #expect(throws: TransportFailure.closed) { try connection.send(reply, within: 0) }
    }

    @Test("a peer that is not admitted is told so and served nothing")
    func admission() throws {
        let server = try EchoServer(allowing: false)
        defer { server.stop() }
        #expect(throws: TransportFailure.refused(.peerNotAllowed)) { try ClientConnection(connectingTo: server.path) }
        eventually { !server.logLines.isEmpty }
        #expect(server.logLines == ["refused a connection: no peer may"])
    }

    @Test(
        "a client that does not wait for its welcome gets the same answers, and the same refusal, from its first call")
    func withoutWaiting() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let connection = try ClientConnection(connectingTo: server.path, waitsForWelcome: false)
        for number in UInt8(1)...3 {
            #expect(try connection.call(WireMessage(body: [number])).body == [number])
        }
        let closed = try EchoServer(allowing: false)
        defer { closed.stop() }
        #expect(throws: TransportFailure.refused(.peerNotAllowed)) {
            try ClientConnection(connectingTo: closed.path, waitsForWelcome: false).call(WireMessage(body: [1]))
        }
    }

    @Test("connections beyond the limit are refused with the reason; a closed one makes room")
    func limit() throws {
        let server = try EchoServer(shares: .undivided(limit: 2))
        defer { server.stop() }
        let first = try ClientConnection(connectingTo: server.path)
        let second = try ClientConnection(connectingTo: server.path)
        #expect(throws: TransportFailure.refused(.tooManyConnections)) {
            try ClientConnection(connectingTo: server.path)
        }
        first.shutdown()
        eventually { server.server.connectionCount < 2 }
        let third = try ClientConnection(connectingTo: server.path)
        #expect(try third.call(WireMessage(body: [1])).body == [1])
        #expect(try second.call(WireMessage(body: [2])).body == [2])
    }

    @Test("a call over a connection whose server is gone says that nothing was sent")
    func serverGone() throws {
        let server = try EchoServer()
        let connection = try ClientConnection(connectingTo: server.path)
        #expect(try connection.call(WireMessage(body: [1])).body == [1])
        server.stop()
        eventually { server.server.connectionCount == 0 }
        #expect(throws: TransportFailure.closed) { try connection.call(WireMessage(body: [1])) }
        #expect(throws: TransportFailure.closed) { try connection.call(WireMessage(body: [1])) }
        #expect(!connection.isOpen)
        #expect(throws: TransportFailure.unreachable(path: server.path, errno: ENOENT)) {
            try ClientConnection(connectingTo: server.path)
        }
    }

    @Test("a server that leaves between message and answer is told apart from one that was gone before")
    func lostAwaitingReply() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let listener = try Listener(path: server.path + ".2")
        defer { listener.close() }
        let isStarted = DetachedThread.start {
            let connection = try? listener.accept().greet()
            _ = try? connection?.receive()
        }
        #expect(isStarted)
        let connection = try ClientConnection(connectingTo: listener.path)
        #expect(throws: TransportFailure.lostAwaitingReply) { try connection.call(WireMessage(body: [1])) }
    }

    @Test("a pool connects anew after the server was restarted")
    func pool() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let path = server.path
        let pool = ConnectionPool { () throws(TransportFailure) in try ClientConnection(connectingTo: path) }
        #expect(try pool.call(WireMessage(body: [1, 2]), mayRepeat: false).body == [2, 1])
        server.server.stop()
        eventually { server.server.connectionCount == 0 }
        let second = Server(
            listener: try Listener(path: path), admission: { _ in .allowed }, log: { _ in }
        ) { connection throws(TransportFailure) in
            while let message = try connection.receive() { try connection.send(message) }
        }
        try second.start()
        defer { second.stop() }
        #expect(try pool.call(WireMessage(body: [1, 2]), mayRepeat: false).body == [1, 2])
    }

    @Test("a file that is not a socket is never replaced; a socket left behind is")
    func staleFiles() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let path = server.path + ".file"
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: TransportFailure.system(call: "listen on \(path)", errno: EEXIST)) { try Listener(path: path) }
        unlink(path)
        do {
            _ = try Listener(path: path)  // let go without close: its file stays, as after a kill
        }
        #expect(access(path, F_OK) == 0)
        let listener = try Listener(path: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        listener.close()
        #expect(access(path, F_OK) != 0)
    }
}
