package import LatchkeyKeychainMessages
package import LatchkeyThreading

/// A prompt for the person at this machine: with a pinentry in the person's desktop, else on the terminal of this
/// process, else with a pinentry on a terminal that the environment names.
package final class SystemPrompt: PromptPort {
    /// The environment variable with the path or the name of a pinentry to use in any case.
    package static let pinentryVariable = "LATCHKEY_PINENTRY"

    private struct State {
        var shown: Cancellation?
        var isInterrupted = false
        var isClosed = false
        /// The time when a person refused in a pinentry.
        var refusal: ContinuousClock.Instant?
    }

    /// A Ctrl-C at a pinentry on our terminal goes to both programs, in any order, within this time.
    private static let oneKeystroke: Duration = .seconds(1)

    private let choice: PromptChoice
    private let state = ForkMutex(State())
    private let isIdle = WaitCondition()

    package init(_ choice: PromptChoice) {
        self.choice = choice
    }

    /// The kind of prompt, for messages.
    package var description: String { choice.description }

    package func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        let shown = Cancellation(seconds: cancellation.secondsLeft)
        cancellation.whenCancelled { [weak shown] in shown?.cancel() }
        let isClosed = state.withLock { state in
            if !state.isClosed { state = State(shown: shown) }
            return state.isClosed
        }
        guard !isClosed else { return .withdrawn }
        var answer = PromptAnswer.failed(reason: "There is no way to ask a person here.")
        var isPinentry = false
        for port in choice.ports {
            answer = port.ask(prompt, until: shown)
            isPinentry = port is PinentryPrompt
            // A broken or missing pinentry leaves the terminal.
            guard case .failed = answer, !shown.isOver else { break }
        }
        let wasInterrupted = state.withLock { state in
            defer { state = State(isClosed: state.isClosed) }
            return state.isInterrupted
        }
        if case .cancelled = answer, isPinentry { state.withLock { $0.refusal = .now } }
        isIdle.withLock { isIdle.wakeAll() }
        if case .withdrawn = answer, wasInterrupted { return .cancelled }
        return answer
    }

    /// Acts as if the person had cancelled, and returns when the prompt is gone. False if none is shown, and none was
    /// just refused by the same keystroke.
    package func interrupt() -> Bool {
        let (shown, wasRefused) = state.withLock { state -> (Cancellation?, Bool) in
            state.isInterrupted = state.shown != nil
            let wasRefused = state.refusal.map { ContinuousClock.now - $0 < Self.oneKeystroke } ?? false
            state.refusal = nil
            return (state.shown, wasRefused)
        }
        guard let shown else { return wasRefused }
        shown.cancel()
        waitForEnd(of: shown)
        return true
    }

    /// Takes a prompt away and shows no more. Returns when the terminal is restored: the program may end.
    package func close() {
        let shown = state.withLock { state in
            state.isClosed = true
            return state.shown
        }
        guard let shown else { return }
        shown.cancel()
        waitForEnd(of: shown)
    }

    private func waitForEnd(of shown: Cancellation) {
        let limit = WaitCondition.Deadline(afterNanoseconds: 2_000_000_000)
        isIdle.withLock {
            while state.withLock({ $0.shown === shown }), isIdle.wait(until: limit) {}
        }
    }
}
