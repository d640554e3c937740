import Glibc
package import LatchkeyKeychainMessages
package import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyThreading

/// Shows the prompts of a daemon's device to the user: an authentication agent.
///
/// It holds two connections, one that receives prompts and one that reports their end.
package final class AgentService: Sendable {
    private struct State {
        var isStopped = false
        var prompts: ClientConnection?
        var shown: Cancellation?
    }

    private static let retrySeconds = 0.5

    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let port: any PromptPort
    private let log: @Sendable (String) -> Void
    private let state = ForkMutex(State())
    /// Over when the service was stopped; what waits between two tries waits for it.
    private let end = Cancellation()

    /// - Parameters:
    ///   - declaredCaller: what to say it is to the daemon of a throwaway device; nil: the daemon looks itself.
    ///   - log: takes a line for each event that the user of the agent should know.
    package init(
        socketPath: String, declaredCaller: Caller? = nil, port: any PromptPort,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let hello = declaredCaller.map { MessageCoding.encode($0) } ?? []
        connect = { () throws(TransportFailure) in try ClientConnection(connectingTo: socketPath, hello: hello) }
        self.port = port
        self.log = log
    }

    /// Registers with the daemon and serves on a thread of its own until ``stop()``, or until the daemon is gone.
    /// Returns when prompts can come.
    package func start() throws(AgentFailure) {
        let connection = try register()
        guard DetachedThread.start({ [self] in serve(connection) }) else {
            connection.shutdown()
            throw .transport(.system(call: "pthread_create", errno: EAGAIN))
        }
    }

    /// Serves until ``stop()``. A daemon that is away is waited for.
    /// - Returns: why the device wants no prompt shown by this program; nil after ``stop()``.
    package func run() -> Refusal? {
        var wasReachable = true
        while !end.isCancelled {
            do throws(AgentFailure) {
                let connection = try register()
                log("serving the prompts of the device")
                wasReachable = true
                serve(connection)
            } catch .refused(let refusal) {
                return refusal
            } catch {
                if wasReachable { log("the daemon cannot be reached: \(error); trying again until it can") }
                wasReachable = false
                end.wait(atMost: Self.retrySeconds)
            }
        }
        return nil
    }

    /// Takes a prompt that is shown away, and ends the service.
    package func stop() {
        end.cancel()
        let (connection, shown) = state.withLock { state in
            state.isStopped = true
            return (state.prompts, state.shown)
        }
        // In this order: what the person did not answer is not answered.
        connection?.shutdown()
        shown?.cancel()
    }

    private func register() throws(AgentFailure) -> ClientConnection {
        let connection: ClientConnection
        do throws(TransportFailure) {
            connection = try connect()
        } catch {
            throw .transport(error)
        }
        do throws(AgentFailure) {
            try Self.ask(RegisterAgent(), over: connection)
        } catch {
            connection.shutdown()
            throw error
        }
        let isStopped = state.withLock { state in
            state.prompts = connection
            return state.isStopped
        }
        if isStopped { connection.shutdown() }
        return connection
    }

    private func serve(_ connection: ClientConnection) {
        while !end.isCancelled {
            do throws(AgentFailure) {
                guard case .prompt(let id, let prompt, let seconds) = try Self.ask(AwaitPrompt(), over: connection)
                else { continue }
                let answer = show(prompt, id, seconds: seconds, over: connection)
                // Unanswered: the daemon shows it by another agent.
                if end.isCancelled { return }
                try Self.ask(AnswerPrompt(id, answer), over: connection)
            } catch {
                switch error {
                // Registering again tells why.
                case .refused: connection.shutdown()
                case .transport(let failure):
                    if !end.isCancelled { log("the connection to the daemon ended: \(failure)") }
                }
                return
            }
        }
    }

    private func show(
        _ prompt: Prompt, _ id: PromptIdentifier, seconds: Double?, over prompts: ClientConnection
    ) -> PromptAnswer {
        let cancellation = Cancellation(seconds: seconds)
        state.withLock { $0.shown = cancellation }
        defer { state.withLock { $0.shown = nil } }
        if end.isCancelled { return .withdrawn }
        let isAnswered = Cancellation()
        // Without a thread or a second connection the prompt stays until its own deadline.
        _ = DetachedThread.start { [connect] in Self.wait(for: id, connect, cancellation, isAnswered) }
        defer { isAnswered.cancel() }
        return prompts.hangUpWatch.run(onHangUp: { cancellation.cancel() }) { port.ask(prompt, until: cancellation) }
    }

    /// Ends the prompt when the daemon says that it is over.
    private static func wait(
        for id: PromptIdentifier, _ connect: @Sendable () throws(TransportFailure) -> ClientConnection,
        _ shown: Cancellation, _ isAnswered: Cancellation
    ) {
        guard let connection = try? connect() else { return }
        while !isAnswered.isCancelled {
            guard let end = try? ask(AwaitEndOfPrompt(id), over: connection) else { break }
            if end.isOver {
                shown.cancel()
                break
            }
        }
        connection.shutdown()
    }

    @discardableResult
    private static func ask<Question: AgentQuestion>(
        _ question: Question, over connection: ClientConnection
    ) throws(AgentFailure) -> Question.Answer {
        let result: Result<Question.Answer, AgentRefusal>
        do throws(TransportFailure) {
            result = try Self.result(of: question, over: connection)
        } catch {
            throw .transport(error)
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let refusal): throw .refused(refusal.refusal)
        }
    }

    private static func result<Question: AgentQuestion>(
        of question: Question, over connection: ClientConnection
    ) throws(TransportFailure) -> Result<Question.Answer, AgentRefusal> {
        let message = try connection.call(question.message)
        do throws(MessageCodingFailure) {
            return try Question.answer(in: message)
        } catch {
            connection.shutdown()
            throw .refused(.malformed)
        }
    }
}

/// The reason why a program is not an agent.
package enum AgentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case transport(TransportFailure)
    /// The device does not let this program show prompts.
    case refused(Refusal)

    package var description: String {
        switch self {
        case .transport(let failure): "\(failure)"
        case .refused(let refusal): refusal.reason
        }
    }
}
