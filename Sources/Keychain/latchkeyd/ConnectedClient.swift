import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyLocalTransport
import LatchkeyThreading

/// What belongs to one connection: the authentication context of its program, and the agent if it is one. For the one
/// thread that serves the connection.
final class ConnectedClient {
    private let service: KeychainService
    private let session: ServiceSession
    private let watch: HangUpWatch
    private var agent: AgentHandle?

    init(_ connection: ServerConnection, service: KeychainService) {
        self.service = service
        let watch = connection.hangUpWatch
        self.watch = watch
        session = ServiceSession(service: service, hasHungUp: { watch.hasHungUp }) { onHangUp, body in
            watch.run(onHangUp: onHangUp, during: body)
        }
    }

    func reply(to call: KeychainCall, from caller: Caller) -> MessageCoding.Encoded {
        switch call {
        case .item(let request):
            MessageCoding.encode(service.perform(request, caller: caller, session: session))
        case .device(let request):
            MessageCoding.encode(service.perform(request, caller: caller, session: session))
        case .authentication(let request):
            MessageCoding.encode(service.perform(request, caller: caller, session: session))
        case .key(let request):
            MessageCoding.encode(service.perform(request, caller: caller, session: session))
        case .event(let request):
            MessageCoding.encode(answer(request, caller))
        case .agent(let request):
            MessageCoding.encode(answer(request, agent(of: caller), caller))
        }
    }

    /// The connection is over: what a person proved on it is forgotten, and its prompt goes to somebody else.
    func leave() {
        session.end()
        agent?.leave()
    }

    /// An agent that went away gets no prompt any more, also while its question waits for one.
    private func answer(_ request: AgentRequest, _ agent: AgentHandle, _ caller: Caller) -> AgentReply {
        var reply = AgentReply.nothing
        watch.run(onHangUp: { agent.leave() }) { reply = agent.perform(request, as: caller) }
        return reply
    }

    /// A program that went away is not waited for.
    private func answer(_ request: EventRequest, _ caller: Caller) -> EventReply {
        let end = Cancellation()
        var reply = EventReply.ended
        watch.run(onHangUp: { end.cancel() }) { reply = service.perform(request, caller: caller, until: end) }
        return reply
    }

    private func agent(of caller: Caller) -> AgentHandle {
        if let agent { return agent }
        let made = service.prompts.agent(for: caller)
        agent = made
        return made
    }
}
