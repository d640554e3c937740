import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySecretMemory

/// Serves the keychain on its socket: identifies the caller of each connection and passes the calls to the service.
struct KeychainServer: Sendable {
    private let server: Server

    /// - Parameters:
    ///   - access: decides what programs may access.
    ///   - owner: the user whose programs may connect, besides root.
    ///   - trustedGroup: the group of programs of level A, for which some connections are reserved; nil if there is
    ///     none.
    init(
        service: KeychainService, listener: Listener, access: CallerRecognition, owner: UInt32, trustedGroup: UInt32?,
        acceptsDeclaredCallers: Bool, log: ProgramLog
    ) {
        server = Server(
            listener: listener, shares: .divided { $0.userID == 0 || $0.groupID == trustedGroup },
            admission: { Self.admission(of: $0, owner: owner) }, log: { log.write($0) }
        ) { connection throws(TransportFailure) in
            var caller = try Self.caller(on: connection, service, access, acceptsDeclaredCallers)
            let client = CallDispatch(connection, service: service)
            defer { client.leave() }
            while let message = try connection.receive() {
                try Self.answer(message, on: connection, client, caller.current())
                // Short texts of items remain on this thread's stack while it waits, even after the device is locked.
                lk_wipe_stack()
            }
        }
    }

    func start() throws(TransportFailure) {
        try server.start()
    }

    func stop() {
        server.stop()
    }

    private static func admission(of peer: PeerIdentity, owner: UInt32) -> Server.Admission {
        peer.userID == owner || peer.userID == 0
            ? .allowed : .refused(reason: "process \(peer.processID) belongs to user \(peer.userID)")
    }

    /// Returns the identity of the program. An identity that the program declares itself counts only if the daemon
    /// accepts that.
    private static func caller(
        on connection: ServerConnection, _ service: KeychainService, _ access: CallerRecognition,
        _ acceptsDeclaredCallers: Bool
    ) throws(TransportFailure) -> ConnectedCaller {
        let peer = connection.peer
        let program = connection.takeProgram()
        guard !connection.hello.isEmpty else {
            return ConnectedCaller(access.recognise(peer, program: program), service: service, access: access)
        }
        let refusal: TransportFailure
        if acceptsDeclaredCallers {
            do throws(MessageCodingFailure) {
                let declared = try MessageCoding.decodeCaller(connection.hello)
                return ConnectedCaller(declared: declared, service: service, access: access)
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
        _ message: WireMessage, on connection: ServerConnection, _ client: CallDispatch, _ caller: Caller
    ) throws(TransportFailure) {
        let handover = PartHandover(connection)
        let reply = reply(to: message, client, caller, handover)
        guard handover.isAwaited else { return }
        do throws(TransportFailure) {
            try connection.send(reply)
        } catch .tooLarge(let byteCount, let limit) {
            let refusal = ItemReply(code: .dataTooLarge, refusal: Refusal(.answerTooLarge, byteCount, limit))
            try connection.send(
                handover.isOfParts ? MessageCoding.encode(ItemReplyPart(refusal)) : MessageCoding.encode(refusal))
        }
    }

    private static func reply(
        to message: WireMessage, _ client: CallDispatch, _ caller: Caller, _ handover: PartHandover
    ) -> WireMessage {
        do throws(MessageCodingFailure) {
            let call = try MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
            if case .itemParts = call { handover.isOfParts = true }
            return try client.reply(to: call, from: caller) { handover.hand(over: $0) }
        } catch {
            let refusal = Refusal(.malformedRequest, "\(error)")
            return MessageCoding.encode(ItemReply(code: .param, refusal: refusal))
        }
    }
}
