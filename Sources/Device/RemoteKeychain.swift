import EnclaveCore
import ItemModel
package import KeychainMessages
import LocalTransport

/// The keychain of a daemon. Calls may come from any thread; each that runs at the same time has its own connection.
package final class RemoteKeychain: Keychain {
    private let socketPath: String
    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let connections: ConnectionPool

    /// Connects at the first call. `declaredCaller` is believed only by daemons of throwaway devices that accept
    /// declared callers; without it the daemon finds out itself which program calls.
    package init(socketPath: String, declaredCaller: Caller? = nil) {
        self.socketPath = socketPath
        let hello = declaredCaller.map { MessageCoding.encode($0) } ?? []
        connect = { () throws(TransportFailure) in
            try ClientConnection(connectingTo: socketPath, hello: hello, waitsForWelcome: false)
        }
        connections = ConnectionPool(connect: connect)
    }

    package func openSession() -> any AuthenticationSession {
        RemoteSession(socketPath: socketPath, connect: connect)
    }

    package func perform(_ request: ItemRequest) -> ItemReply {
        let (body, secrets) = MessageCoding.encode(request)
        do {
            // Anything but a search may have been done already when the connection broke.
            let answer = try connections.call(
                WireMessage(body: body, secrets: secrets), mayRepeat: request.operation == .find)
            return try MessageCoding.decodeItemReply(body: answer.body, secrets: answer.secrets)
        } catch let failure as TransportFailure {
            return RemoteFailure(failure, socketPath: socketPath).itemReply
        } catch {
            return RemoteFailure(undecodable: "\(error)", socketPath: socketPath).itemReply
        }
    }

    package func perform(_ request: KeyRequest) -> KeyReply {
        let (body, secrets) = MessageCoding.encode(request)
        do {
            // A person may have been asked already when the connection broke.
            let answer = try connections.call(WireMessage(body: body, secrets: secrets), mayRepeat: request.isQuestion)
            return try MessageCoding.decodeKeyReply(body: answer.body, secrets: answer.secrets)
        } catch let failure as TransportFailure {
            return RemoteFailure(failure, socketPath: socketPath).keyReply
        } catch {
            return RemoteFailure(undecodable: "\(error)", socketPath: socketPath).keyReply
        }
    }

    package func perform(_ request: DeviceRequest) -> DeviceReply {
        let (body, secrets) = MessageCoding.encode(request)
        do {
            let answer = try connections.call(
                WireMessage(body: body, secrets: secrets), mayRepeat: request.isRepeatable)
            return try MessageCoding.decodeDeviceReply(body: answer.body, secrets: answer.secrets)
        } catch let failure as TransportFailure {
            return RemoteFailure(failure, socketPath: socketPath).deviceReply
        } catch {
            return RemoteFailure(undecodable: "\(error)", socketPath: socketPath).deviceReply
        }
    }
}

extension KeyRequest {
    /// Whether it does nothing and asks nobody.
    fileprivate var isQuestion: Bool {
        if case .describe = self { true } else { false }
    }
}

extension DeviceRequest {
    /// True for what does the same when it is done twice. A passcode is never tried twice.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .status, .refusals, .lock, .teams, .applications: true
        case .setPasscode, .changePasscode, .removePasscode, .unlock, .erase, .configure, .trustTeam, .revokeTeam,
            .forgetApplication, .configureApplications, .requireLevel, .biometry:
            false
        }
    }
}
