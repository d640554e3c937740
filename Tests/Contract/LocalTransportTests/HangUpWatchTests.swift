import Glibc
import LatchkeySecretMemory
import LatchkeyThreading
import Testing

@testable import LatchkeyLocalTransport

@Suite("A server that waits for a person notices that its client went away")
struct HangUpWatchTests {
    @Test("a client that closes its connection in the middle of a call ends the wait")
    func clientLeaves() throws {
        let (client, connection) = try Self.pair()
        let left = Cancellation()
        var waited = false
        connection.hangUpWatch.run(onHangUp: { left.cancel() }) {
            client.shutdown()
            left.wait()
            waited = true
        }
        #expect(waited && left.isCancelled)
    }

    @Test("a client that was gone before is noticed too")
    func clientHasLeft() throws {
        let (client, connection) = try Self.pair()
        client.shutdown()
        let left = Cancellation()
        connection.hangUpWatch.run(onHangUp: { left.cancel() }) { left.wait() }
        #expect(left.isCancelled)
    }

    @Test("a client that stays is left alone, and the connection serves on")
    func clientStays() throws {
        let path = Self.newPath()
        let listener = try Listener(path: path)
        defer { listener.close() }
        let answered = Cancellation()
        let isStarted = DetachedThread.start {
            let client = try? ClientConnection(connectingTo: path)
            if (try? client?.call(WireMessage(body: [1])))??.body == [2] { answered.cancel() }
        }
        #expect(isStarted)
        let connection = try listener.accept().greet()
        #expect(try connection.receive()?.body == [1])
        let left = Cancellation()
        connection.hangUpWatch.run(onHangUp: { left.cancel() }) {}
        #expect(!left.isCancelled)
        try connection.send(WireMessage(body: [2]))
        answered.wait()
        #expect(answered.isCancelled)
    }

    /// The listener makes the file, and takes it away when it is closed.
    private static func newPath() -> String {
        "/tmp/latchkey-hangup-\(getpid())-\(UInt64.random(in: .min ... .max)).sock"
    }

    private static func pair() throws -> (ClientConnection, ServerConnection) {
        let path = Self.newPath()
        let listener = try Listener(path: path)
        defer { listener.close() }
        let connected = CallDispatch(path)
        let connection = try listener.accept().greet()
        return (try connected.connection(), connection)
    }
}

/// Connects from a thread of its own: the handshake needs both sides at once.
private final class CallDispatch: Sendable {
    private let done = Cancellation()
    private let outcome = Outcome()

    private final class Outcome: @unchecked Sendable {
        // Sendable because it is written before `done` is cancelled and read afterwards.
        var connection: ClientConnection?
    }

    init(_ path: String) {
        let (done, outcome) = (done, outcome)
        let isStarted = DetachedThread.start {
            outcome.connection = try? ClientConnection(connectingTo: path)
            done.cancel()
        }
        precondition(isStarted, "the system has no thread left")
    }

    func connection() throws -> ClientConnection {
        done.wait()
        return try #require(outcome.connection)
    }
}
