package import LatchkeyEnclaveCore
package import LatchkeyLocalTransport
import LatchkeyPeerIdentity

/// The enclave process behind its socket.
package final class RemoteEnclave: EnclaveMailbox {
    private let socketPath: String
    private let connections: ConnectionPool
    /// For what waits for a finger: it must not take the turns of calls that do not.
    private let waitingConnections: ConnectionPool
    private let epoch: EpochWatch

    /// Connects and asks for the key epoch, then keeps it current from a thread of its own. `revive` is called on that
    /// thread when the enclave is gone, as often as it stays away.
    ///
    /// - Parameter showsProgram: false towards an enclave that knows this process by its user.
    package init(
        socketPath: String, showsProgram: Bool = true, revive: (@Sendable () -> Void)? = nil
    ) throws(TransportFailure) {
        let connect: @Sendable () throws(TransportFailure) -> ClientConnection = { () throws(TransportFailure) in
            guard showsProgram else { return try ClientConnection(connectingTo: socketPath) }
            // The enclave wants to see which program this is, which a hardened process shows only on purpose.
            return try OwnProcess.whileInspectable { () throws(TransportFailure) in
                try ClientConnection(connectingTo: socketPath)
            }
        }
        self.socketPath = socketPath
        connections = ConnectionPool(connect: connect)
        waitingConnections = ConnectionPool(connect: connect)
        epoch = try EpochWatch(connect: connect, revive: revive)
    }

    deinit {
        epoch.stop()
    }

    /// The epoch of the enclave's keys, made unique over its restarts: a value of before never comes again.
    package var keyEpoch: UInt64 { epoch.current.value }

    /// Calls `body` after every change of the epoch, from the thread that follows it.
    package func whenKeysChange(_ body: @escaping @Sendable () -> Void) {
        epoch.whenChanged(body)
    }

    package func perform(_ request: EnclaveRequest) -> EnclaveReply {
        if case .waitForChange(let known) = request {
            let current = epoch.current
            guard known == current.value else { return .changed(epoch: current.value) }
            return answer(to: .waitForChange(epoch: current.ofEnclave))
        }
        let reply = answer(to: request)
        // A caller that sees this reply must not go on with keys of the epoch before it.
        if request.traits.contains(.changesKeys) { _ = answer(to: .status) }
        return reply
    }

    private func answer(to request: EnclaveRequest) -> EnclaveReply {
        let (body, secrets) = EnclaveMessageCodec.encode(request)
        let restarts = epoch.current.restarts
        do {
            let pool = request.traits.contains(.waitsForPerson) ? waitingConnections : connections
            let answer = try pool.call(
                WireMessage(body: body, secrets: secrets), mayRepeat: request.traits.contains(.repeatable))
            let reply = try EnclaveMessageCodec.decodeReply(body: answer.body, secrets: answer.secrets)
            return translated(reply, restarts: restarts)
        } catch let failure as TransportFailure {
            return .refused(.storage(reason: "the enclave does not answer at \(socketPath): \(failure)"))
        } catch {
            return .refused(.malformed(reason: "the enclave's answer cannot be read: \(error)"))
        }
    }

    /// Epochs in answers are the enclave's own; callers know only ``keyEpoch``.
    private func translated(_ reply: EnclaveReply, restarts: UInt64) -> EnclaveReply {
        switch reply {
        case .status(var status):
            status.keyEpoch = epoch.advance(to: status.keyEpoch, restarts: restarts)
            return .status(status)
        case .changed(let number):
            return .changed(epoch: epoch.advance(to: number, restarts: restarts))
        case .done, .created, .createdKeys, .createRefused, .keys, .key, .context, .biometry, .refused,
            .passcodeCost:
            return reply
        }
    }
}
