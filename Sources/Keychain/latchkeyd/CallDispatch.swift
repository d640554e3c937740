import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyThreading

/// The state of one connection: the authentication context of its program, and its agent if it is one. Used only by the
/// thread that serves the connection.
final class CallDispatch {
    private let service: KeychainService
    private let session: ServiceSession
    private let watch: HangUpWatch
    private var agent: AgentHandle?
    private var itemChangePace = ItemChangePace()

    init(_ connection: ServerConnection, service: KeychainService) {
        self.service = service
        let watch = connection.hangUpWatch
        self.watch = watch
        session = ServiceSession(service: service, hasHungUp: { watch.hasHungUp }) { onHangUp, body in
            watch.run(onHangUp: onHangUp, during: body)
        }
    }

    /// - Parameter deliver: sends a part of an answer, and returns true when the program asks for the next.
    func reply(
        to call: KeychainCall, from caller: Caller, deliver: @escaping PartDelivery
    ) throws(MessageCodingFailure) -> WireMessage {
        switch call {
        case .item(let request):
            MessageCoding.encode(service.perform(request, caller: caller, session: session))
        case .itemParts(let request):
            MessageCoding.encode(service.find(request, caller: caller, session: session, deliver: deliver))
        case .nextPart: throw .unexpectedMessage(found: MessageCoding.Kind.nextPartRequest.rawValue)
        case .device(let question): answer(question, caller)
        case .authentication(let question): answer(question, caller)
        case .key(let question): answer(question, caller)
        case .fileKey(let question): answer(question, caller)
        case .event(let question): answer(question, caller)
        case .itemChange(let question): answer(question, caller)
        case .agent(let question): answer(question, agent(of: caller), caller)
        }
    }

    /// Ends the state with the connection: proofs given on it are forgotten, and a prompt it was showing goes to
    /// another agent.
    func leave() {
        session.end()
        agent?.leave()
    }

    private func answer<Question: DeviceQuestion>(_ question: Question, _ caller: Caller) -> WireMessage {
        encoded(question) { () throws(DeviceRefusal) in
            try service.ask(question, caller: caller, session: session)
        }
    }

    private func answer<Question: AuthenticationQuestion>(_ question: Question, _ caller: Caller) -> WireMessage {
        encoded(question) { () throws(AuthenticationRefusal) in
            try service.ask(question, caller: caller, session: session)
        }
    }

    private func answer<Question: KeyQuestion>(_ question: Question, _ caller: Caller) -> WireMessage {
        encoded(question) { () throws(EnclaveKeyRefusal) in
            try service.ask(question, caller: caller, session: session)
        }
    }

    private func answer<Question: FileKeyQuestion>(_ question: Question, _ caller: Caller) -> WireMessage {
        encoded(question) { () throws(FileKeyRefusal) in try service.ask(question, caller: caller) }
    }

    /// Sends no prompt to an agent that has disconnected, not even while its question waits for one.
    private func answer<Question: AgentQuestion>(
        _ question: Question, _ agent: AgentHandle, _ caller: Caller
    ) -> WireMessage {
        watch.run(onHangUp: { agent.leave() }) {
            encoded(question) { () throws(AgentRefusal) in try agent.ask(question, as: caller) }
        }
    }

    /// Stops waiting when the program has disconnected.
    private func answer(_ question: AwaitEvent, _ caller: Caller) -> WireMessage {
        let end = Cancellation()
        return watch.run(onHangUp: { end.cancel() }) {
            encoded(question) { () throws(WatchEnded) in try service.ask(question, caller: caller, until: end) }
        }
    }

    /// Stops waiting when the program has disconnected, or at the end of its time.
    private func answer(_ question: AwaitItemChange, _ caller: Caller) -> WireMessage {
        let end = Cancellation(seconds: Double(question.seconds))
        return watch.run(onHangUp: { end.cancel() }) {
            encoded(question) { () throws(ItemWatchEnded) in
                try service.ask(question, caller: caller, pace: &itemChangePace, until: end)
            }
        }
    }

    /// Returns the answer to a question as a message, or the failure in its place.
    private func encoded<Question: KeychainQuestion>(
        _ question: Question, _ answer: () throws(Question.Failure) -> Question.Answer
    ) -> WireMessage {
        do throws(Question.Failure) {
            return Question.message(of: try answer())
        } catch {
            return MessageCoding.encode(error)
        }
    }

    private func agent(of caller: Caller) -> AgentHandle {
        if let agent { return agent }
        let made = service.prompts.agent(for: caller)
        agent = made
        return made
    }
}
