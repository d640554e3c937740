import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LocalAuthentication

/// One app of a device under watch: what the test planned for its calls, and what is to say about them.
struct AppWatch: Sendable {
    let stage: any DeviceStage
    let calls: CallWatch
    let person: ScriptedPerson
    let files: FileReview
    let caller: Caller

    var keychain: any Keychain { stage.keychain(for: caller) }

    // MARK: Items

    func perform(_ request: ItemRequest, _ body: (ItemRequest) -> ItemReply) -> ItemReply {
        let call = KeychainCall(request.operation)
        if let status = calls.takePlanned(call) {
            return ItemReply(code: ResultCode(rawValue: Int32(clamping: status)), refusal: Self.plannedFailure)
        }
        let replaced = request.operation == .update ? sharedVersions(of: request) : nil
        var reply = body(request)
        if let code = person.takeFailure() {
            reply = ItemReply(code: Self.status(ofEvaluation: code), refusal: Self.plannedFailure)
        }
        calls.crypto.learn(request.secrets + reply.secrets)
        var flaws = Review.flaws(of: request, reply)
        if let flaw = bypass(request, reply) { flaws.append(flaw) }
        if let flaw = remoteChange(request, reply, replacing: replaced) { flaws.append(flaw) }
        let asked = person.takeAsked(by: caller.name)
        flaws += Review.flaws(of: request.interaction, asked, call)
        if let flaw = Review.noAccessGroup(request, reply, caller) { flaws.append(flaw) }
        // Items that opened after a prompt do not open for a second look.
        if asked.isEmpty { flaws += severalItems(request, reply) }
        noteHere(flaws, call)
        return reply
    }

    /// Tells whether more items fit than the app's call shows.
    private func severalItems(_ request: ItemRequest, _ reply: ItemReply) -> [Flaw] {
        let keychain = keychain
        return [
            Review.oneOfSeveral(request, reply, in: keychain), Review.severalKeys(request, reply, in: keychain),
            Review.synchronizableOverlooked(request, reply, in: keychain),
        ].compactMap(\.self)
    }

    /// Notes flaws, and prompts without an answer, at the place of the app's call.
    private func noteHere(_ flaws: [Flaw], _ call: KeychainCall) {
        let unanswered = person.takeUnanswered(by: caller.name)
        guard !flaws.isEmpty || !unanswered.isEmpty else { return }
        let place = CapturedCall.here()
        note(flaws.map { $0.named(CalledFunction.name) }, place)
        for issue in note(unanswered, call, place) { TestIssue.record(issue) }
    }

    /// The keychain's result code for a failed evaluation.
    private static func status(ofEvaluation code: LAError.Code) -> ResultCode {
        switch code {
        case .userCancel: ResultCode(rawValue: -128)
        case .notInteractive: .interactionNotAllowed
        default: .authFailed
        }
    }

    /// Follows what the app reads after an evaluation, and looks once more at the item where that decides.
    private func bypass(_ request: ItemRequest, _ reply: ItemReply) -> Flaw? {
        guard let query = EvaluationTrail.SecretQuery(request, reply) else { return nil }
        guard calls.follow(caller.name, { $0.isGuarding(query) }) else { return nil }
        let conditions = query.conditions(in: keychain)
        let isBypass = calls.follow(caller.name) { $0.read(query, conditions) }
        return isBypass ? Review.bypass : nil
    }

    // MARK: Keys

    func answer<Question: KeyQuestion>(
        to question: Question, _ body: () throws(EnclaveKeyRefusal) -> Question.Answer
    ) throws(EnclaveKeyRefusal) -> Question.Answer {
        guard let call = KeychainCall(Question.purpose) else { return try body() }
        if let status = calls.takePlanned(call) {
            throw EnclaveKeyRefusal(ResultCode(rawValue: Int32(clamping: status)), Self.plannedFailure)
        }
        var answer = Result(catching: body)
        if let code = person.takeFailure() {
            answer = .failure(EnclaveKeyRefusal(Self.status(ofEvaluation: code), Self.plannedFailure))
        }
        var flaws = Review.flaws(of: question.interaction, person.takeAsked(by: caller.name), call)
        if let creation = question as? CreateEnclaveKey {
            var code = ResultCode.success
            if case .failure(let refusal) = answer { code = refusal.code }
            flaws += Review.flaws(ofNewKey: creation.accessControl, code, call)
        }
        noteHere(flaws, call)
        return try answer.get()
    }

    // MARK: Evaluations

    /// Evaluates, unless the test planned a failure. Returns the result, and what of it fails the test.
    func evaluate<Answer>(
        _ question: any EvaluationQuestion, from place: CapturedCall,
        _ body: () throws(AuthenticationRefusal) -> Answer
    ) -> (Result<Answer, AuthenticationRefusal>, [UnansweredPrompt]) {
        let call = KeychainCall(question.demand)
        if let code = calls.takePlanned(call) { return (.failure(Self.failure(code)), []) }
        var result = Result(catching: body)
        if let failure = person.takeFailure() { result = .failure(Self.failure(failure.rawValue)) }
        if call == .evaluatePolicy, case .success = result { calls.follow(caller.name) { $0.evaluated() } }
        note(Review.flaws(of: question.interaction, person.takeAsked(by: caller.name), call), place)
        return (result, note(person.takeUnanswered(by: caller.name), call, place))
    }

    private static func failure(_ code: Int) -> AuthenticationRefusal {
        AuthenticationRefusal(AuthenticationError(rawValue: Int64(code)) ?? .authenticationFailed, plannedFailure)
    }

    // MARK: Notes

    private func note(_ flaws: [Flaw], _ place: CapturedCall) {
        calls.note(flaws.map { Observation(flaw: $0, app: caller.name, place: place) })
    }

    private func note(
        _ unanswered: [PromptWithoutAnswer], _ call: KeychainCall, _ place: CapturedCall
    ) -> [UnansweredPrompt] {
        guard !unanswered.isEmpty else { return [] }
        let prompts = unanswered.map {
            $0.asked(by: call, function: CalledFunction.name, at: place.callSite)
        }
        calls.note(prompts)
        return prompts
    }

    private static let plannedFailure = Refusal(.plannedFailure)
}
