import Device
import Glibc
import ItemModel
import KeychainMessages
import KeychainService
import LocalTransport
import PeerIdentity

/// Serves the keychain on its socket: finds out who calls, once per connection, and asks the service.
struct KeychainServer: Sendable {
    private let server: Server

    init(service: KeychainService, listener: Listener, acceptsDeclaredCallers: Bool, log: ProgramLog) {
        server = Server(
            listener: listener, admission: { Self.admission(of: $0) }, log: { log.write($0) }
        ) { connection throws(TransportFailure) in
            let caller = try Self.caller(on: connection, acceptsDeclaredCallers)
            while let message = try connection.receive() {
                try Self.answer(message, on: connection, service, caller)
            }
        }
    }

    func start() throws(TransportFailure) {
        try server.start()
    }

    func stop() {
        server.stop()
    }

    private static func admission(of peer: PeerIdentity) -> Server.Admission {
        peer.userID == geteuid() || peer.userID == 0
            ? .allowed : .refused(reason: "process \(peer.processID) belongs to user \(peer.userID)")
    }

    /// What the program is; what it says it is only where that is accepted.
    private static func caller(
        on connection: ServerConnection, _ acceptsDeclaredCallers: Bool
    ) throws(TransportFailure) -> Caller {
        let peer = connection.peer
        guard !connection.hello.isEmpty else {
            return Caller(name: peer.displayName, accessGroups: [peer.privateAccessGroup])
        }
        let refusal: TransportFailure
        if acceptsDeclaredCallers {
            do throws(MessageCodingFailure) {
                return try MessageCoding.decodeCaller(connection.hello)
            } catch {
                refusal = .peerNotAllowed(reason: "\(peer.displayName) declares a caller that cannot be read: \(error)")
            }
        } else {
            refusal = .peerNotAllowed(
                reason: "\(peer.displayName) declares who it is, which this daemon does not accept")
        }
        connection.refuse(refusal)
        throw refusal
    }

    private static func answer(
        _ message: WireMessage, on connection: ServerConnection, _ service: KeychainService, _ caller: Caller
    ) throws(TransportFailure) {
        let (body, secrets) = reply(to: message, service, caller)
        do throws(TransportFailure) {
            try connection.send(WireMessage(body: body, secrets: secrets))
        } catch .tooLarge(let byteCount, let limit) {
            let refusal = Refusal(
                rule: "answer-too-large",
                reason: "The answer has a part of \(byteCount) bytes or entries, and \(limit) may travel at once.",
                advice: "Ask for fewer items at once (kSecMatchLimit), or for their attributes only.")
            let (body, _) = MessageCoding.encode(ItemReply(code: .dataTooLarge, refusal: refusal))
            try connection.send(WireMessage(body: body))
        }
    }

    private static func reply(
        to message: WireMessage, _ service: KeychainService, _ caller: Caller
    ) -> MessageCoding.Encoded {
        do throws(MessageCodingFailure) {
            switch try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets) {
            case .item(let request): return MessageCoding.encode(service.perform(request, caller: caller))
            case .device(let request): return MessageCoding.encode(service.perform(request, caller: caller))
            }
        } catch {
            let refusal = Refusal(
                rule: "malformed-request", reason: "The daemon cannot read the call: \(error).",
                advice: "Put fewer and flatter values into the query, or use a library of the daemon's version.")
            return MessageCoding.encode(ItemReply(code: .param, refusal: refusal))
        }
    }
}
