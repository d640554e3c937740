import Glibc
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import Synchronization

/// A server of this process in a directory of its own. It answers every message with itself, body reversed, or as it is
/// told.
final class EchoServer: Sendable {
    let path: String
    let server: Server
    private let directory: String

    init(
        shares: ConnectionShares = .undivided(limit: TransportLimits.connections), allowing isAllowed: Bool = true,
        answering answer: @escaping @Sendable (WireMessage) -> WireMessage = {
            WireMessage(body: $0.body.reversed(), secrets: $0.secrets)
        }
    ) throws {
        var template = Array("/tmp/latchkey-transport-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            return mkdtemp(start) != nil
        }
        guard made else { throw TransportFailure.system(call: "mkdtemp", errno: errno) }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = directory + "/echo.sock"
        let log = Log()
        self.log = log
        server = Server(
            listener: try Listener(path: path), shares: shares,
            admission: { _ in isAllowed ? .allowed : .refused(reason: "no peer may") },
            log: { log.add($0) }
        ) { connection throws(TransportFailure) in
            while let message = try connection.receive() {
                try connection.send(answer(message))
            }
        }
        try server.start()
    }

    private let log: Log

    var logLines: [String] { log.lines.withLock { $0 } }

    func stop() {
        server.stop()
        rmdir(directory)
    }
}

/// Lines that a server wrote.
final class Log: Sendable {
    let lines = Mutex<[String]>([])

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

extension SecretBox {
    /// The bytes, for comparisons.
    var array: [UInt8] { withBytes { Array($0) } }
}
