import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyLocalTransport
import LatchkeySecretMemory

/// Serves the enclave's mailbox on its socket, to the keychain daemon only.
struct EnclaveServer: Sendable {
    private let server: Server

    /// A daemon needs at most `ConnectionPool.limit` connections and one that waits for changes. Connections of killed
    /// daemons may remain for a moment; more are an attempt to exhaust the enclave.
    private static let connectionLimit = 256

    init(
        service: EnclaveService, program: OwnProgramFile, listener: Listener, client: UInt32, peerPath: [UInt8]?,
        log: ProgramLog
    ) {
        let daemon = ProgramAdmission(userID: client, path: peerPath)
        server = Server(
            listener: listener, shares: .undivided(limit: Self.connectionLimit),
            admission: { daemon.admission(of: $0) }, log: { log.write($0) }
        ) { connection throws(TransportFailure) in
            while let message = try connection.receive() {
                let (body, secrets) = Self.reply(to: message, service, program)
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

    private static func reply(
        to message: WireMessage, _ service: EnclaveService, _ program: OwnProgramFile
    ) -> EnclaveMessageCodec.Encoded {
        let question: any EnclaveQuestion
        do throws(EnclaveMessageFailure) {
            question = try EnclaveMessageCodec.decodeQuestion(body: message.body, secrets: message.secrets)
        } catch {
            return EnclaveMessageCodec.encode(EnclaveRefusal.malformed(reason: "\(error)"))
        }
        guard !(question is AskRevision) else {
            return EnclaveMessageCodec.encode(EnclaveRevision(isReplaced: program.isReplaced))
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
}
