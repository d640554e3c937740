import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyThreading

/// A prompt that says "touch the reader", and the enclave's wait for the touch, in parallel: the first of them to end
/// also ends the other. The wait begins when the user can see the prompt, so that a touch is not taken for something
/// else.
final class FingerWait: @unchecked Sendable {
    // Sendable because the state is only accessed under the condition's lock.
    enum Outcome: Sendable {
        case matched
        case notMatched(missesLeft: Int)
        case unclear(UnclearTouch)
        case refused(AuthenticationFailure)
        case fallback
        /// The enclave no longer knows the context.
        case contextLost
    }

    private struct State {
        var isShown = false
        var answer: PromptRouter.Outcome?
        /// The prompt is closed, and nothing cancels the match any more.
        var isOver = false
    }

    private let enclave: any EnclaveMailbox
    private let desk: PromptRouter
    private let context: ContextIdentifier
    private let shown: Cancellation
    private let condition = WaitCondition()
    private var state = State()
    private let matchEnded = Cancellation()

    /// - Parameter seconds: the time that the user has.
    init(enclave: any EnclaveMailbox, desk: PromptRouter, context: ContextIdentifier, seconds: Double) {
        self.enclave = enclave
        self.desk = desk
        self.context = context
        shown = Cancellation(seconds: seconds)
    }

    /// Blocks until there is an outcome.
    /// - Parameter outer: ends the wait from outside.
    func run(_ prompt: Prompt, for caller: Caller, until outer: Cancellation) -> Outcome {
        outer.whenCancelled { [shown] in shown.cancel() }
        guard DetachedThread.start({ [self] in showPrompt(prompt, for: caller) }) else {
            return .refused(.promptFailed("the system has no thread left"))
        }
        wait { $0.isShown || $0.answer != nil }
        let isAnswered = condition.withLock { state.answer != nil }
        let result = isAnswered ? nil : match()
        matchEnded.cancel()
        shown.cancel()
        // Without an answer the match is not cancelled any more: the prompt may close while the item is opened.
        if case .success(.known(.matched))? = result, condition.withLock({ state.answer == nil }) {
            return .matched
        }
        // Prompts appear one after the other, and a late cancellation of this match must not end the next one.
        wait { $0.isOver }
        switch result {
        case nil: return outcomeOfAnswer(outer)
        case .success(.known(.matched))?: return .matched
        case .success(.known(.notMatched(let left)))?: return .notMatched(missesLeft: left)
        case .success(.known(.unclear(let touch)))?: return .unclear(touch)
        case .success(.known(.timedOut))?: return .refused(.timedOut)
        case .success(.known(.refused(let rule)))?: return .refused(AuthenticationFailure(rule))
        case .success(.known(.cancelled))?: return outcomeOfAnswer(outer)
        case .success(.unknown)?: return .contextLost
        case .failure(let refusal)?: return .refused(.promptFailed(PasscodeWords.reason(refusal)))
        }
    }

    private func match() -> Result<ContextAnswer<MatchOutcome>, EnclaveRefusal> {
        Result { () throws(EnclaveRefusal) in
            try enclave.ask(MatchFinger(seconds: shown.secondsLeft ?? 0, in: context))
        }
    }

    /// Shows the prompt on a thread of its own. An answer ends the match, even if the match begins later.
    private func showPrompt(_ prompt: Prompt, for caller: Caller) {
        let answer = desk.ask(prompt, for: caller, until: shown) { [self] in change { $0.isShown = true } }
        change { $0.answer = answer }
        while !matchEnded.isCancelled {
            _ = try? enclave.ask(CancelMatch(context))
            matchEnded.wait(atMost: 0.05)
        }
        change { $0.isOver = true }
    }

    private func wait(until isDone: (State) -> Bool) {
        condition.withLock { while !isDone(state) { condition.wait() } }
    }

    private func change(_ change: (inout State) -> Void) {
        condition.withLock {
            change(&state)
            condition.wakeAll()
        }
    }

    private func outcomeOfAnswer(_ outer: Cancellation) -> Outcome {
        let answer = condition.withLock { state.answer } ?? .nobody(needed: .c)
        return answer.failure(of: outer).map { .refused($0) } ?? .fallback
    }
}
