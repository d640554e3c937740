import Foundation
import Glibc
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyLocalTransport

@Suite("A client that expects a program at the socket")
struct ServerProgramTests {
    private func program(_ path: [UInt8], user: UInt32 = geteuid()) -> ServerProgram {
        ServerProgram(ProgramAdmission(userID: user, path: path), inspector: PeerInspector())
    }

    @Test("talks to that program") func right() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let own = try PeerIdentity.ofThisProcess().executable.path
        let connection = try ClientConnection(
            connectingTo: server.path, waitsForWelcome: false, server: program(own))
        #expect(try connection.call(WireMessage(body: [1, 2])).body == [2, 1])
    }

    @Test("says nothing to another program, or one that does not exist", arguments: ["/usr/bin/env", "/nowhere"])
    func wrong(_ path: String) throws {
        let server = try EchoServer()
        defer { server.stop() }
        #expect {
            try ClientConnection(connectingTo: server.path, server: program(Array(path.utf8)))
        } throws: { error in
            guard case TransportFailure.peerNotAllowed = error else { return false }
            return true
        }
    }

    @Test("says nothing to a program of another user") func otherUser() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let own = try PeerIdentity.ofThisProcess().executable.path
        #expect(throws: TransportFailure.self) {
            try ClientConnection(connectingTo: server.path, server: program(own, user: geteuid() + 1))
        }
    }

    /// It listens; then the child that it forks accepts and greets correctly but for its pid.
    private static let servingChild = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.bind(sys.argv[1])
        s.listen(1)
        print("ready", flush=True)
        pid = os.fork()
        if pid == 0:
            c, _ = s.accept()
            rest = bytes(18) + bytes(range(16))
            c.send(b"LKYS" + bytes([1, 1]) + rest)
            c.recv(65536)
            c.send(b"LKYS" + bytes([1, 3]) + rest)
            c.recv(65536)
            os._exit(0)
        os.waitpid(pid, 0)
        """

    @Test(
        "takes no answer of a child that serves in the program's name",
        .enabled(if: access("/usr/bin/python3", X_OK) == 0, "needs python3"))
    func child() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", Self.servingChild, path]
        process.standardOutput = output
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        #expect(output.fileHandleForReading.nextLine() == "ready\n")
        let python = try #require(realpath("/usr/bin/python3", nil))
        defer { free(python) }
        let expected = process.processIdentifier
        #expect {
            try ClientConnection(connectingTo: path, server: program(Array(String(cString: python).utf8)))
        } throws: { error in
            guard case TransportFailure.wrongSender(expected, let found) = error else { return false }
            return found != expected
        }
    }
}
