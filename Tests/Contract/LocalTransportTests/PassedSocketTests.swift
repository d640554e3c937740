import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import Synchronization
import Testing

@testable import LatchkeyLocalTransport

@Suite("A passed socket")
struct PassedSocketTests {
    /// The variables, and the presence of a socket that they lead to; a failure where the socket cannot be served.
    struct Variables: Sendable, CustomTestStringConvertible {
        var processID: String? = "100"
        var count: String? = "1"
        var names: String?
        let outcome: Result<Bool, PassedSocketFailure>

        var testDescription: String { "\(processID ?? "-") \(count ?? "-") \(names ?? "-")" }
    }

    static let announcements = [
        Variables(processID: nil, count: nil, outcome: .success(false)),
        Variables(count: nil, outcome: .success(false)),
        Variables(processID: nil, outcome: .success(false)),
        Variables(processID: "101", outcome: .success(false)),
        Variables(processID: "x", outcome: .success(false)),
        Variables(processID: "101", count: "x", outcome: .success(false)),
        Variables(count: "0", outcome: .success(false)),
        Variables(outcome: .success(true)),
        Variables(names: "", outcome: .success(true)),
        Variables(names: "unknown", outcome: .success(true)),
        Variables(names: "keychain", outcome: .success(true)),
        Variables(names: "latchkeyd@anna.socket", outcome: .success(true)),
        Variables(names: "enclave", outcome: .failure(.wrongName(expected: "keychain", found: "enclave"))),
        Variables(
            names: "keychain:keychain",
            outcome: .failure(.wrongName(expected: "keychain", found: "keychain:keychain"))),
        Variables(count: "2", names: "keychain:enclave", outcome: .failure(.tooMany(2))),
        Variables(count: "", outcome: .failure(.badCount(""))),
        Variables(count: "one", outcome: .failure(.badCount("one"))),
        Variables(count: "-1", outcome: .failure(.badCount("-1"))),
    ]

    @Test("is announced by LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES, to one process alone", arguments: announcements)
    func variables(_ row: Variables) {
        let found = Result { () throws(PassedSocketFailure) in
            try PassedSocket.isOnePassed(
                processID: row.processID, count: row.count, names: row.names, ownID: 100, expectedName: "keychain")
        }
        #expect(found == row.outcome)
    }

    @Test("leaves no variable behind for programs that are started later")
    func clearing() throws {
        setenv("LISTEN_PID", "1", 1)
        setenv("LISTEN_FDS", "1", 1)
        setenv("LISTEN_FDNAMES", "keychain", 1)
        #expect(try PassedSocket.take(named: "keychain") == nil)
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { #expect(getenv(name) == nil) }
    }

    /// Descriptors that are not listening sockets of the kind.
    enum Wrong: CaseIterable {
        case closed, file, stream, network, notListening

        var fault: PassedSocketFailure.Fault {
            switch self {
            case .closed: .notOpen
            case .file: .notASocket
            case .stream: .notSequentialPacket
            case .network: .notLocal
            case .notListening: .notListening
            }
        }

        func descriptor() -> Int32 {
            switch self {
            case .closed: return 1_000_000
            case .file: return open("/dev/null", O_RDWR)
            case .stream: return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            case .network: return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            case .notListening: return socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
            }
        }
    }

    @Test("is a listening Unix socket for packets, or is refused with what to pass instead", arguments: Wrong.allCases)
    func wrongDescriptors(_ wrong: Wrong) {
        let descriptor = wrong.descriptor()
        defer { close(descriptor) }
        let failure = #expect(throws: PassedSocketFailure.self) { try PassedSocket(adopting: descriptor) }
        #expect(failure == .unusable(wrong.fault))
        #expect(failure?.description.contains("descriptor 3") == true)
    }

    @Test("is served, also to who connected before, and goes on listening when this process no longer does")
    func serving() throws {
        let directory = try SocketDirectory()
        let path = directory.path + "/passed.sock"
        let descriptor = lk_socket_listen(path, 8)
        try #require(descriptor >= 0)
        let copy = dup(descriptor)
        defer { close(copy) }
        let server = Server(
            listener: try Listener(serving: try PassedSocket(adopting: descriptor)),
            admission: { _ in .allowed }, log: { _ in }
        ) { connection throws(TransportFailure) in
            while let message = try connection.receive() { try connection.send(message) }
        }
        try server.start()
        let client = try ClientConnection(connectingTo: path)
        #expect(try client.call(WireMessage(body: [1, 2, 3])).body == [1, 2, 3])
        server.stop()
        #expect(FileManager.default.fileExists(atPath: path))
        let later = lk_socket_connect(path)
        #expect(later >= 0, "the process that passed the socket still has it, and others can connect")
        close(later)
    }

    @Test("asks for the credentials of clients that connected before anybody asked")
    func earlyClient() throws {
        let directory = try SocketDirectory()
        let path = directory.path + "/early.sock"
        let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
        try #require(directory.bind(descriptor, to: path) && listen(descriptor, 8) == 0)
        let early = lk_socket_connect(path)
        try #require(early >= 0)
        let listener = try Listener(serving: try PassedSocket(adopting: descriptor))
        let greeted = Mutex<Result<Int32, TransportFailure>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            greeted.withLock {
                $0 = Result { () throws(TransportFailure) in try listener.accept().greet().peer.processID }
            }
            done.signal()
        }
        let client = try ClientConnection(over: Descriptor(owning: early), hello: [])
        done.wait()
        #expect(greeted.withLock { $0 } == .success(getpid()))
        client.shutdown()
    }
}

/// A directory for sockets, gone after the test.
private final class SocketDirectory {
    let path: String

    init() throws {
        path = "/tmp/latchkey-passed-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func bind(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }
}
