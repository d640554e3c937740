package import LatchkeyEnclaveContract
package import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySecretMemory

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

    @discardableResult
    package func ask<Question: EnclaveQuestion>(_ question: Question) throws(EnclaveRefusal) -> Question.Answer {
        if Question.self == AwaitKeyChange.self, let wait = question as? AwaitKeyChange,
            let answer = KeyEpoch(try keyEpoch(after: wait.epoch)) as? Question.Answer
        {
            return answer
        }
        let restarts = epoch.current.restarts
        // A caller that sees this answer, or refusal, must not go on with keys of the epoch before it.
        defer { if Question.traits.contains(.changesKeys) { _ = try? ask(AskStatus()) } }
        let answer = try answer(to: question)
        // Epochs in answers are the enclave's own; callers know only ``keyEpoch``.
        return answer.translatingEpoch { epoch.advance(to: $0, restarts: restarts) }
    }

    /// Callers know only the epochs of ``keyEpoch``, and the enclave only its own.
    private func keyEpoch(after known: UInt64) throws(EnclaveRefusal) -> UInt64 {
        let current = epoch.current
        guard known == current.value else { return current.value }
        let changed = try answer(to: AwaitKeyChange(after: current.ofEnclave))
        return epoch.advance(to: changed.value, restarts: current.restarts)
    }

    private func answer<Question: EnclaveQuestion>(
        to question: Question
    ) throws(EnclaveRefusal) -> Question.Answer {
        do throws(EnclaveRefusal) {
            return try question.answer(in: reply(to: question.message, Question.traits))
        } catch {
            guard case .malformed = error else { throw error }
            if let answer = Question.answerOfFormerEnclave { return answer }
            guard let revision = try? ask(AskRevision()), revision.isFormer else { throw error }
            throw .malformed(reason: EnclaveRevision.requestIsUnknown)
        }
    }

    private func reply(to message: WireMessage, _ traits: QuestionTraits) throws(EnclaveRefusal) -> WireMessage {
        let pool = traits.contains(.waitsForPerson) ? waitingConnections : connections
        do throws(TransportFailure) {
            return try pool.call(message, mayRepeat: traits.contains(.repeatable))
        } catch {
            throw .storage(reason: "the enclave does not answer at \(socketPath): \(error)")
        }
    }
}
