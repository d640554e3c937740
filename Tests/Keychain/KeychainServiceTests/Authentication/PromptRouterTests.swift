import Glibc
import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

@testable import LatchkeyKeychainService

@Suite("Prompts find an agent that shows them")
struct PromptRouterTests {
    private static func caller(
        _ level: AssuranceLevel = .c, process: Int32? = nil, user: UInt32 = 1000, refusal: Refusal? = nil
    ) -> Caller {
        Caller(
            name: "agent", accessGroups: [], level: level,
            process: process.map { CallerProcess(processID: $0, userID: user, executableDigest: nil) },
            refusal: refusal)
    }

    private static let refusal = Refusal(ruleName: Rule.assuranceLevelTooLow.rawValue, reason: "r", advice: "a")

    private static func prompt(_ program: String = "app") -> Prompt {
        Prompt(kind: .passcode, program: program, reason: "because")
    }

    private func register(_ desk: PromptRouter, _ caller: Caller) -> AgentHandle {
        let agent = desk.agent(for: caller)
        _ = try? agent.ask(RegisterAgent())
        return agent
    }

    /// The next prompt of an agent, as soon as there is one.
    private func next(_ agent: AgentHandle) throws -> (id: PromptIdentifier, prompt: Prompt) {
        // Each question waits by itself. Where none is answered, a test fails instead of waiting for ever.
        for _ in 0..<30 {
            if case .prompt(let id, let prompt, _) = try agent.ask(AwaitPrompt()) { return (id, prompt) }
        }
        throw Unexpected()
    }

    private func ask(
        _ desk: PromptRouter, _ program: String = "app", level: AssuranceLevel = .c, process: Int32? = nil,
        until cancellation: Cancellation = Cancellation()
    ) throws -> Pending<PromptRouter.Outcome> {
        let caller = Self.caller(level, process: process)
        return Pending { desk.ask(Self.prompt(program), for: caller, until: cancellation) }
    }

    struct Choice: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// In the order in which they register.
        let agents: [(level: AssuranceLevel, process: Int32)]
        let asking: Int32?
        let chosen: Int
    }

    static let choices = [
        Choice(testDescription: "the only one", agents: [(.c, 1)], asking: 9, chosen: 0),
        Choice(testDescription: "the latest", agents: [(.c, 1), (.c, 2)], asking: 9, chosen: 1),
        Choice(testDescription: "the highest level", agents: [(.b, 1), (.c, 2)], asking: 9, chosen: 0),
        Choice(testDescription: "level A over B", agents: [(.a, 1), (.b, 2), (.b, 3)], asking: nil, chosen: 0),
        Choice(testDescription: "the asking process itself", agents: [(.b, 1), (.b, 2)], asking: 1, chosen: 0),
        Choice(testDescription: "but not over a higher level", agents: [(.c, 1), (.b, 2)], asking: 1, chosen: 1),
        Choice(
            testDescription: "the latest of the highest", agents: [(.a, 1), (.a, 2), (.c, 3)], asking: 3, chosen: 1),
    ]

    @Test("the agent is chosen by process, level and time", arguments: choices)
    func choice(choice: Choice) throws {
        let desk = PromptRouter()
        let agents = choice.agents.map { register(desk, Self.caller($0.level, process: $0.process)) }
        let answer = try ask(desk, process: choice.asking)
        let (id, prompt) = try next(agents[choice.chosen])
        #expect(prompt == Self.prompt())
        try agents[choice.chosen].ask(AnswerPrompt(id, .fallback))
        guard case .answered(.fallback) = answer.value else { throw Unexpected() }
    }

    @Test("without an agent, its absence is the answer")
    func nobody() throws {
        let desk = PromptRouter()
        #expect(desk.obstacle(for: Self.caller())?.refusal.rule == .noAuthenticationAgent)
        guard case .nobody(needed: .c) = desk.ask(Self.prompt(), for: Self.caller(), until: Cancellation()) else {
            throw Unexpected()
        }
        let watcher = desk.agent(for: Self.caller())
        #expect(try watcher.ask(AwaitPrompt()) == .nothing, "who did not register gets nothing")
        #expect(desk.obstacle(for: Self.caller()) != nil)
        watcher.leave()
        let agent = register(desk, Self.caller())
        #expect(desk.obstacle(for: Self.caller()) == nil)
        agent.leave()
        #expect(desk.obstacle(for: Self.caller()) != nil)
    }

    struct Demand: Sendable, CustomTestStringConvertible {
        let device: AssuranceLevel
        let asking: AssuranceLevel
        let agent: AssuranceLevel
        var isRoots = false
        let isShown: Bool

        var testDescription: String {
            "device \(device), program \(asking), agent \(isRoots ? "root's " : "")\(agent)"
        }
    }

    static let demands = [
        Demand(device: .c, asking: .c, agent: .c, isShown: true),
        Demand(device: .c, asking: .b, agent: .c, isShown: true),
        Demand(device: .c, asking: .a, agent: .c, isShown: false),
        Demand(device: .c, asking: .a, agent: .b, isShown: false),
        Demand(device: .c, asking: .a, agent: .a, isShown: true),
        Demand(device: .c, asking: .a, agent: .c, isRoots: true, isShown: true),
        Demand(device: .b, asking: .c, agent: .c, isShown: false),
        Demand(device: .b, asking: .b, agent: .b, isShown: true),
        Demand(device: .a, asking: .a, agent: .b, isShown: false),
        Demand(device: .a, asking: .c, agent: .b, isShown: false),
        Demand(device: .a, asking: .c, agent: .a, isShown: true),
        Demand(device: .a, asking: .a, agent: .c, isRoots: true, isShown: true),
    ]

    @Test(
        "an agent shows no prompt for which the device or the program demands more than its level", arguments: demands)
    func levels(demand: Demand) throws {
        let desk = PromptRouter(requiredLevel: { demand.device })
        let agent = register(desk, Self.caller(demand.agent, process: 1, user: demand.isRoots ? 0 : 1000))
        let asking = Self.caller(demand.asking, process: 9)
        guard demand.isShown else {
            #expect(desk.obstacle(for: asking)?.refusal.rule == .agentLevelTooLow)
            guard case .nobody = desk.ask(Self.prompt(), for: asking, until: Cancellation()) else {
                throw Unexpected()
            }
            #expect(try agent.ask(AwaitPrompt()) == .nothing)
            return
        }
        #expect(desk.obstacle(for: asking) == nil)
        let answer = try ask(desk, level: demand.asking, process: 9)
        let (id, _) = try next(agent)
        try agent.ask(AnswerPrompt(id, .fallback))
        guard case .answered(.fallback) = answer.value else { throw Unexpected() }
    }

    @Test("a program that gets no groups cannot be an agent, and one that loses them hands its prompt to the next")
    func refusedAgents() throws {
        let desk = PromptRouter()
        let refused = desk.agent(for: Self.caller(process: 1, refusal: Self.refusal))
        let questions: [any AgentQuestion] = [
            RegisterAgent(), AwaitPrompt(), AnswerPrompt(PromptIdentifier(1), .fallback),
            AwaitEndOfPrompt(PromptIdentifier(1)),
        ]
        for question in questions {
            #expect(throws: AgentRefusal(Self.refusal)) { try refused.ask(question) }
        }
        #expect(desk.obstacle(for: Self.caller()) != nil)
        let (staying, leaving) = (register(desk, Self.caller()), register(desk, Self.caller()))
        let answer = try ask(desk)
        _ = try next(leaving)
        #expect(throws: AgentRefusal(Self.refusal)) {
            try leaving.ask(AwaitPrompt(), as: Self.caller(process: 1, refusal: Self.refusal))
        }
        let (id, _) = try next(staying)
        try staying.ask(AnswerPrompt(id, .fallback))
        guard case .answered(.fallback) = answer.value else { throw Unexpected() }
    }

    @Test("a level that is demanded while a prompt waits holds for that prompt, too")
    func levelDemandedMeanwhile() throws {
        let level = Mutex(AssuranceLevel.c)
        let desk = PromptRouter(requiredLevel: { level.withLock { $0 } })
        let agent = register(desk, Self.caller(.b))
        let cancellation = Cancellation()
        let answer = try ask(desk, until: cancellation)
        while desk.testOnlyWaitingPrompts == 0 { usleep(1_000) }
        level.withLock { $0 = .a }
        #expect(try agent.ask(AwaitPrompt()) == .nothing)
        level.withLock { $0 = .c }
        #expect(try next(agent).prompt == Self.prompt())
        cancellation.cancel()
        guard case .answered(.withdrawn) = answer.value else { throw Unexpected() }
    }

    @Test("a prompt whose agent has no longer the level goes to one that has it", arguments: [true, false])
    func reassigned(registersLater: Bool) throws {
        let level = Mutex(AssuranceLevel.c)
        let desk = PromptRouter(requiredLevel: { level.withLock { $0 } })
        let early = registersLater ? nil : register(desk, Self.caller(.b, process: 2))
        // An agent of level A whose team loses trust while a prompt waits for it, or one that was never of level A.
        let chosen = register(desk, Self.caller(registersLater ? .b : .a, process: 1))
        let answer = try ask(desk)
        while desk.testOnlyWaitingPrompts == 0 { usleep(1_000) }
        level.withLock { $0 = registersLater ? .a : .b }
        #expect(try chosen.ask(AwaitPrompt(), as: Self.caller(.c, process: 1)) == .nothing)
        let suitable = early ?? register(desk, Self.caller(.a, process: 2))
        let (id, prompt) = try next(suitable)
        #expect(prompt == Self.prompt())
        try suitable.ask(AnswerPrompt(id, .fallback))
        guard case .answered(.fallback) = answer.value else { throw Unexpected() }
    }

    @Test("an agent that leaves in the middle hands its prompt to the next one")
    func leaving() throws {
        let desk = PromptRouter()
        let (staying, leaving) = (register(desk, Self.caller()), register(desk, Self.caller()))
        let answer = try ask(desk)
        let (id, _) = try next(leaving)
        leaving.leave()
        let (same, prompt) = try next(staying)
        #expect(same == id && prompt == Self.prompt())
        try leaving.ask(AnswerPrompt(id, .cancelled))
        try staying.ask(AnswerPrompt(id, .secret(secret("s"))))
        guard case .answered(.secret(let box)) = answer.value else { throw Unexpected() }
        #expect(box.equals(secret("s")))
    }

    @Test("the last agent that leaves in the middle fails the prompt")
    func lastLeaving() throws {
        let desk = PromptRouter()
        let agent = register(desk, Self.caller())
        let answer = try ask(desk)
        _ = try next(agent)
        agent.leave()
        guard case .answered(.failed) = answer.value else { throw Unexpected() }
    }

    @Test("an answer of the wrong agent, to an unknown prompt, or a second one is ignored")
    func wrongAnswers() throws {
        let desk = PromptRouter()
        let (other, chosen) = (register(desk, Self.caller()), register(desk, Self.caller(.b)))
        let answer = try ask(desk)
        let (id, _) = try next(chosen)
        try other.ask(AnswerPrompt(id, .cancelled))
        try desk.agent(for: Self.caller(.a)).ask(AnswerPrompt(id, .cancelled))
        try chosen.ask(AnswerPrompt(PromptIdentifier(id.number &+ 1), .cancelled))
        try chosen.ask(AnswerPrompt(id, .fallback))
        try chosen.ask(AnswerPrompt(id, .cancelled))
        guard case .answered(.fallback) = answer.value else { throw Unexpected() }
    }

    @Test("two prompts for one agent come one after the other, each with its own answer")
    func twoPrompts() throws {
        let desk = PromptRouter()
        let agent = register(desk, Self.caller())
        let answers = ["one": try ask(desk, "one"), "two": try ask(desk, "two")]
        var numbers: [PromptIdentifier] = []
        for _ in answers {
            let (id, prompt) = try next(agent)
            numbers.append(id)
            try agent.ask(AnswerPrompt(id, .failed(reason: prompt.program)))
            guard case .answered(.failed(let reason))? = answers[prompt.program]?.value else { throw Unexpected() }
            #expect(reason == prompt.program)
        }
        #expect(Set(numbers).count == 2)
    }

    @Test("a prompt that is cancelled is withdrawn, and its agent hears of it")
    func withdrawn() throws {
        let desk = PromptRouter()
        let agent = register(desk, Self.caller())
        let cancellation = Cancellation(seconds: 3600)
        let answer = try ask(desk, until: cancellation)
        let (id, _) = try next(agent)
        let end = Pending {
            while true {
                guard let end = try? desk.agent(for: Self.caller()).ask(AwaitEndOfPrompt(id)) else { return false }
                if end.isOver { return true }
            }
        }
        cancellation.cancel()
        guard case .answered(.withdrawn) = answer.value else { throw Unexpected() }
        #expect(end.value)
        try agent.ask(AnswerPrompt(id, .cancelled))
    }

    @Test("a prompt that is cancelled before its agent saw it is never shown")
    func neverShown() throws {
        let desk = PromptRouter()
        let agent = register(desk, Self.caller())
        let cancellation = Cancellation()
        cancellation.cancel()
        guard case .answered(.withdrawn) = desk.ask(Self.prompt(), for: Self.caller(), until: cancellation) else {
            throw Unexpected()
        }
        guard
            case .answered(.timedOut) = desk.ask(Self.prompt(), for: Self.caller(), until: Cancellation(seconds: 0))
        else { throw Unexpected() }
        let answer = try ask(desk, "third")
        #expect(try next(agent).prompt.program == "third")
        agent.leave()
        _ = answer.value
    }

    @Test("an end is told at once for a prompt that is answered or unknown")
    func ends() throws {
        let desk = PromptRouter()
        let agent = register(desk, Self.caller())
        #expect(try agent.ask(AwaitEndOfPrompt(PromptIdentifier(7))).isOver)
        let answer = try ask(desk)
        let (id, _) = try next(agent)
        try agent.ask(AnswerPrompt(id, .cancelled))
        #expect(try agent.ask(AwaitEndOfPrompt(id)).isOver)
        _ = answer.value
    }

    @Test("a prompt counts as shown when an agent took it")
    func whenShown() throws {
        let desk = PromptRouter()
        let agent = register(desk, Self.caller())
        let shown = Cancellation()
        let answer = Pending {
            desk.ask(Self.prompt(), for: Self.caller(), until: Cancellation()) { shown.cancel() }
        }
        #expect(!shown.isCancelled)
        let (id, _) = try next(agent)
        shown.wait()
        try agent.ask(AnswerPrompt(id, .cancelled))
        _ = answer.value
    }

    @Test("a finger is awaited only once an agent shows the prompt")
    func fingerAfterPrompt() throws {
        let stage = try AuthenticationStage(hasPerson: false)
        let agent = stage.service.prompts.agent(for: Self.caller())
        try agent.ask(RegisterAgent())
        // A touch without a prompt must not count.
        stage.sensor.touch(.matched(.rightIndex))
        let session = stage.openSession()
        let reply = Pending { stage.evaluate(.biometry, session: session) }
        stage.mailbox.wait(for: 1, of: "AssessDemand")
        #expect(stage.mailbox.count(of: "MatchFinger") == 0)
        #expect(try next(agent).prompt.kind == .finger)
        #expect(reply.value.error == nil)
        agent.leave()
    }

    @Test("with agents alone, a person's passcode opens an item")
    func wholeWay() throws {
        let stage = try AuthenticationStage(hasPerson: false)
        try stage.store("a", .userPresence)
        let agent = stage.service.prompts.agent(for: Self.caller())
        try agent.ask(RegisterAgent())
        let reply = Pending { stage.find("a") }
        let (finger, first) = try next(agent)
        #expect(first.kind == .finger)
        try agent.ask(AnswerPrompt(finger, .fallback))
        let (passcode, second) = try next(agent)
        #expect(second.kind == .passcode)
        try agent.ask(AnswerPrompt(passcode, .secret(secret("1234"))))
        #expect(reply.value.text == "s3cret")
        agent.leave()
    }
}
