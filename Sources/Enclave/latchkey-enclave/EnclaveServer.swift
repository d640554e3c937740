import Glibc
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySecretMemory

/// Serves the enclave's mailbox on its socket, to the keychain daemon only.
struct EnclaveServer: Sendable {
    private let server: Server

    /// A daemon needs at most `ConnectionPool.limit` connections and one that waits for changes. Connections of killed
    /// daemons may remain for a moment; more are an attempt to exhaust the enclave.
    private static let connectionLimit = 256

    init(service: EnclaveService, listener: Listener, client: UInt32, peerPath: [UInt8]?, log: ProgramLog) {
        server = Server(
            listener: listener, shares: .undivided(limit: Self.connectionLimit),
            admission: { Self.admission(of: $0, client: client, peerPath: peerPath) }, log: { log.write($0) }
        ) { connection throws(TransportFailure) in
            while let message = try connection.receive() {
                let (body, secrets) = Self.reply(to: message, service)
                try connection.send(WireMessage(body: body, secrets: secrets))
            }
        }
    }

    func start() throws(TransportFailure) {
        try server.start()
    }

    func stop() {
        server.stop()
    }

    private static func reply(to message: WireMessage, _ service: EnclaveService) -> EnclaveMessageCodec.Encoded {
        let question: any EnclaveQuestion
        do throws(EnclaveMessageFailure) {
            question = try EnclaveMessageCodec.decodeQuestion(body: message.body, secrets: message.secrets)
        } catch {
            return EnclaveMessageCodec.encode(EnclaveRefusal.malformed(reason: "\(error)"))
        }
        return reply(to: question, service)
    }

    private static func reply(
        to question: some EnclaveQuestion, _ service: EnclaveService
    ) -> EnclaveMessageCodec.Encoded {
        do throws(EnclaveRefusal) {
            return EnclaveMessageCodec.encode(try service.ask(question))
        } catch {
            return EnclaveMessageCodec.encode(error)
        }
    }

    /// The file is looked up for each connection, because the daemon may have been updated since the enclave started.
    private static func admission(of peer: PeerIdentity, client: UInt32, peerPath: [UInt8]?) -> Server.Admission {
        guard peer.userID == client else {
            return .refused(
                reason: "process \(peer.processID) belongs to user \(peer.userID), and only user \(client) is served")
        }
        guard peer.sharesNamespace else {
            return .refused(
                reason: "process \(peer.processID) has a pid namespace of its own, where others can speak in its name")
        }
        guard let peerPath else { return .allowed }
        let path = String(decoding: peerPath, as: UTF8.self)
        guard let expected = ExecutableFile.file(at: peerPath) else {
            return .refused(reason: "there is no \(path), and only that program is served")
        }
        guard peer.executable.isSameFile(as: expected) else {
            return .refused(reason: "process \(peer.processID) runs \(peer.displayName), and only \(path) is served")
        }
        return .allowed
    }
}
