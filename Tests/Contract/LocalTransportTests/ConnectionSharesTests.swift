import Glibc
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyLocalTransport

@Suite("No program takes all connections of a server")
struct ConnectionSharesTests {
    @Test("the shares are those of Docs/Formats/socket.md, and a busy process has more than it uses")
    func numbers() {
        #expect(TransportLimits.connections == 512)
        #expect(TransportLimits.connectionsPerProgram == 128)
        #expect(TransportLimits.reservedConnections == 64)
        #expect(ConnectionPool.limit * 4 <= TransportLimits.connectionsPerProgram)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isPreferred: Bool
        let open: Int
        let own: Int
        let isAdmitted: Bool
    }

    static let rows = [
        Row(testDescription: "the first", isPreferred: false, open: 0, own: 0, isAdmitted: true),
        Row(testDescription: "the last of its share", isPreferred: false, open: 5, own: 3, isAdmitted: true),
        Row(testDescription: "beyond its share", isPreferred: false, open: 5, own: 4, isAdmitted: false),
        Row(testDescription: "beyond its share, preferred", isPreferred: true, open: 5, own: 4, isAdmitted: false),
        Row(testDescription: "the last for all", isPreferred: false, open: 7, own: 0, isAdmitted: true),
        Row(testDescription: "what is kept", isPreferred: false, open: 8, own: 0, isAdmitted: false),
        Row(testDescription: "what is kept, preferred", isPreferred: true, open: 8, own: 0, isAdmitted: true),
        Row(testDescription: "the last of all", isPreferred: true, open: 9, own: 0, isAdmitted: true),
        Row(testDescription: "beyond all", isPreferred: true, open: 10, own: 0, isAdmitted: false),
    ]

    @Test("of 10 connections 4 are one program's, and 2 are kept", arguments: rows)
    func admission(row: Row) throws {
        let shares = ConnectionShares(limit: 10, perProgram: 4, reserved: 2) { _ in row.isPreferred }
        let peer = try PeerIdentity.ofThisProcess()
        #expect(shares.admit(peer, open: row.open, own: row.own) == row.isAdmitted)
    }

    @Test("a program beyond its share is told so, and gets its place back when a connection of it ends")
    func share() throws {
        let server = try EchoServer(
            shares: ConnectionShares(limit: 10, perProgram: 2, reserved: 0, isPreferred: { _ in false }))
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
}
