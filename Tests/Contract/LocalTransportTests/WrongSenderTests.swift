import Foundation
import Glibc
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyLocalTransport

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
            print(s.recv(65536)[40:].decode(), flush=True)
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

    private func python(_ program: String, _ arguments: [String], input: Pipe? = nil) throws -> (Process, Pipe) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", program] + arguments
        process.standardOutput = output
        if let input { process.standardInput = input }
        try process.run()
        return (process, output)
    }

    @Test(
        "a child that answers for its parent is refused", .enabled(if: access("/usr/bin/python3", X_OK) == 0),
        arguments: PeerSnapshot.DescriptorSource.allCases)
    func childAnswers(source: PeerSnapshot.DescriptorSource) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let listener = try Listener(path: server.path + ".2", inspector: PeerInspector(descriptorFrom: source))
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
        .enabled(if: access("/usr/bin/python3", X_OK) == 0), arguments: PeerSnapshot.DescriptorSource.allCases)
    func execHandOff(source: PeerSnapshot.DescriptorSource) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let listener = try Listener(path: server.path + ".2", inspector: PeerInspector(descriptorFrom: source))
        defer { listener.close() }
        let (process, output) = try python(Self.handOff, [listener.path, String(getpid())])
        defer { kill(process.processIdentifier, SIGKILL) }
        let arrival = try listener.accept()
        let pid = arrival.peer.processID
        // The same as greet(), with a wait in the middle until the program has changed.
        let channel = FrameChannel(arrival.descriptor)
        try channel.send(.greeting, WireMessage(body: []), nonce: Nonce(1, 2))
        #expect(try channel.receive()?.senderID == pid)
        #expect(output.fileHandleForReading.nextLine() == "handed over\n")
        #expect(throws: TransportFailure.peerUnidentified(.programChanged(pid: pid))) { try arrival.confirm() }
    }

    /// It connects and ends; its child waits for the word, makes another process of the same number run another
    /// program, and answers the greeting.
    static let reusedNumber = """
        import os, socket, sys, ctypes, struct
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.connect(sys.argv[1])
        first = os.getpid()
        gone, held = os.pipe()
        if os.fork() != 0: os._exit(0)
        # A process group keeps its number.
        os.setsid()
        # Whoever started the first process waits for descriptors of it to be closed.
        for number in range(3, 1024):
            if number not in (s.fileno(), gone):
                try: os.close(number)
                except OSError: pass
        os.read(gone, 1)
        sys.stdout.write("ended\\n"); sys.stdout.flush()
        sys.stdin.read(1)
        number = ctypes.c_int(first)
        # struct clone_args: nothing but the signal at its end and the number it is to have.
        words = [0, 0, 0, 0, 17, 0, 0, 0, ctypes.addressof(number), 1, 0]
        arguments = ctypes.create_string_buffer(struct.pack("11Q", *words))
        child = ctypes.CDLL(None, use_errno=True).syscall(435, arguments, 88)
        if child == 0: os.execv("/bin/sleep", ["sleep", "600"])
        if child < 0: raise OSError(ctypes.get_errno(), "clone3")
        while open(f"/proc/{first}/comm").read().strip() != "sleep": pass
        sys.stdout.write("reused\\n"); sys.stdout.flush()
        greeting = s.recv(65536)
        if len(greeting) > 40: print(greeting[40:].decode())
        else:
            s.send(greeting[:5] + bytes([2]) + greeting[6:])
            print(s.recv(65536)[40:].decode(), flush=True)
        os.kill(first, 9)
        """

    @Test(
        "a process that got the number of one that connected and ended is not served in its place",
        .needsRoot(to: "choose the number of a process"), .enabled(if: access("/usr/bin/python3", X_OK) == 0),
        arguments: PeerSnapshot.DescriptorSource.allCases)
    func reusedNumber(source: PeerSnapshot.DescriptorSource) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let listener = try Listener(path: server.path + ".2", inspector: PeerInspector(descriptorFrom: source))
        defer { listener.close() }
        let input = Pipe()
        let (process, output) = try python(Self.reusedNumber, [listener.path], input: input)
        let pid = process.processIdentifier
        #expect(output.fileHandleForReading.nextLine() == "ended\n")
        process.waitUntilExit()
        try input.fileHandleForWriting.write(contentsOf: Data([0]))
        #expect(output.fileHandleForReading.nextLine() == "reused\n")
        switch source {
        case .socket:
            // The descriptor from the socket stands for the process that ended.
            #expect(throws: TransportFailure.peerUnidentified(.processEnded(pid: pid))) { try listener.accept() }
        case .processNumber:
            // The number leads to the wrong process, which never learns the nonce.
            let arrival = try listener.accept()
            #expect(arrival.peer.processID == pid)
            #expect(arrival.peer.executable.name == "sleep")
            #expect {
                try arrival.greet()
            } throws: { error in
                guard case TransportFailure.wrongSender(pid, let found) = error else { return false }
                return found != pid
            }
        }
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(said == (source == .socket ? "peer-unidentified\n" : "wrong-sender\n"))
    }
}
