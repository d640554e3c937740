import Foundation
import Glibc
import PeerIdentity
import Testing

@testable import LocalTransport

@Suite("Only the process that connected is served")
struct WrongSenderTests {
    /// A Python program that gets the socket's path as its argument.
    ///
    /// It connects; then the child that it forks takes the greeting and answers it correctly but for its pid.
    static let answeringChild = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.connect(sys.argv[1])
        pid = os.fork()
        if pid == 0:
            greeting = s.recv(65536)
            s.send(greeting[:5] + bytes([2]) + greeting[6:])
            print(s.recv(65536)[40:].decode())
            os._exit(0)
        os.waitpid(pid, 0)
        """

    /// The exec hand-off: the process that connects becomes another program while its child keeps the socket.
    static let handOff = """
        import os, socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.connect(sys.argv[1])
        greeting = s.recv(65536)
        parent = os.getpid()
        if os.fork() == 0:
            while open(f"/proc/{parent}/comm").read().strip() != "sleep": pass
            os.kill(int(sys.argv[2]), 0)
            sys.stdout.write("handed over\\n"); sys.stdout.flush()
            os._exit(0)
        s.send(greeting[:5] + bytes([2]) + greeting[6:])
        os.execv("/bin/sleep", ["sleep", "60"])
        """

    private func python(_ program: String, _ arguments: [String]) throws -> (Process, Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", program] + arguments
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    @Test("a child that answers for its parent is refused", .enabled(if: access("/usr/bin/python3", X_OK) == 0))
    func childAnswers() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let listener = try Listener(path: server.path + ".2")
        defer { listener.close() }
        let (process, output) = try python(Self.answeringChild, [listener.path])
        let arrival = try listener.accept()
        #expect(arrival.peer.processID == process.processIdentifier)
        #expect {
            try arrival.greet()
        } throws: { error in
            guard case TransportFailure.wrongSender(let expected, let found) = error else { return false }
            return expected == process.processIdentifier && found != expected
        }
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(said == "wrong-sender\n")
    }

    @Test(
        "a process that becomes another program after the snapshot is refused at the hello",
        .enabled(if: access("/usr/bin/python3", X_OK) == 0))
    func execHandOff() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let listener = try Listener(path: server.path + ".2")
        defer { listener.close() }
        let (process, output) = try python(Self.handOff, [listener.path, String(getpid())])
        defer { kill(process.processIdentifier, SIGKILL) }
        let arrival = try listener.accept()
        let pid = arrival.peer.processID
        // What greet() does, with a wait in the middle until the program has changed.
        let channel = FrameChannel(arrival.descriptor)
        try channel.send(.greeting, WireMessage(body: []), nonce: Nonce(1, 2))
        #expect(try channel.receive()?.senderID == pid)
        #expect(output.fileHandleForReading.availableData == Data("handed over\n".utf8))
        #expect(throws: TransportFailure.peerUnidentified(.programChanged(pid: pid))) { try arrival.confirm() }
    }
}
