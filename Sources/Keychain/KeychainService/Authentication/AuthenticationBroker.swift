import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization

/// The broker between the enclave and the user. It decides nothing: it asks the enclave which factors are missing,
/// prompts the user, passes the evidence on, and asks the enclave again.
struct AuthenticationBroker: Sendable {
    /// The time that one prompt stays open.
    static let promptSeconds: Double = 60
    /// The number of misses or wrong passcodes after which an evaluation fails, or switches to the passcode.
    private static let missLimit = 3
    private static let roundLimit = 20

    let enclave: any EnclaveMailbox
    let desk: PromptRouter
    let turns: PromptQueue
    /// Returns the name and identifier of a trusted team, for texts.
    let teamName: @Sendable (Caller) -> String?

    /// The state of an evaluation.
    private struct Progress {
        var misses = 0
        var wrongPasscodes = 0
        /// True once the passcode is wanted instead of a finger: the user chose it, or the finger failed.
        var wantsPasscode = false
        var hasMatched = false
        var notice: String?
    }

    /// Returns when the demand is fulfilled. Blocks while the user is prompted.
    /// - Parameters:
    ///   - isNewPassword: true if an application password is for a new item.
    ///   - opensKeyNext: true if the evidence is used at once to open a key, where the enclave judges it again. A match
    ///     that is as good as the passcode then needs no further assessment.
    ///   - verdict: the verdict of the enclave on this demand a moment ago, if there is one.
    func satisfy(
        _ demand: AuthenticationDemand, _ asking: PromptParameters, isNewPassword: Bool = false,
        opensKeyNext: Bool = false,
        verdict: Verdict? = nil
    ) throws(Setback) {
        try endingWithProgram(asking) { () throws(Setback) in
            try askInRounds(demand, asking, isNewPassword, opensKeyNext, verdict)
        }
    }

    /// Reports a context that the program ended meanwhile as cancelled by the program, at whichever step this is
    /// noticed.
    private func endingWithProgram(_ asking: PromptParameters, _ body: () throws(Setback) -> Void) throws(Setback) {
        do throws(Setback) {
            try body()
        } catch .authentication(let failure)
            where failure.error == .invalidContext && asking.isCancelledByProgram
        {
            throw .authentication(.appCancelled)
        }
    }

    private func askInRounds(
        _ demand: AuthenticationDemand, _ asking: PromptParameters, _ isNewPassword: Bool, _ opensKeyNext: Bool,
        _ known: Verdict?
    ) throws(Setback) {
        var progress = Progress()
        // An unlock by finger that did not count for the verdict may count now.
        var known = try allowReuse(asking) ? nil : known
        for _ in 0..<Self.roundLimit {
            var told = known.take()
            if told == nil { told = try assessed(demand, asking) }
            guard let verdict = told else { continue }
            switch verdict {
            case .granted: return
            case .refused(let rule): throw .authentication(AuthenticationFailure(rule))
            case .needs(let kinds):
                try get(kinds, asking, isNewPassword, &progress)
                if opensKeyNext, progress.hasMatched, kinds == [.match, .passcode] { return }
            }
        }
        throw .authentication(.tooManyRounds)
    }

    /// Prompts for an application password even though the enclave has one, because that one was wrong.
    func replaceApplicationPassword(_ asking: PromptParameters) throws(Setback) {
        try endingWithProgram(asking) { () throws(Setback) in
            try checkInteraction(asking)
            try getApplicationPassword(asking, isNew: false, notice: "That was not the password of this item.")
        }
    }

    /// Returns nil if the enclave has lost the context.
    private func assessed(_ demand: AuthenticationDemand, _ asking: PromptParameters) throws(Setback) -> Verdict? {
        guard case .known(let verdict) = try ask(AssessDemand(demand, in: try asking.context.identifier()), asking)
        else { return nil }
        return verdict
    }

    /// Sends the reuse window to the enclave.
    /// - Returns: false if the enclave knows it already. It is 0 at first.
    private func allowReuse(_ asking: PromptParameters) throws(Setback) -> Bool {
        let seconds = asking.interaction.reuseSeconds
        guard asking.context.setReuse(seconds: seconds) else { return false }
        _ = try ask(AllowReuse(seconds: seconds, in: try asking.context.identifier()), asking)
        return true
    }

    private func get(
        _ kinds: AuthenticationFactors, _ asking: PromptParameters, _ isNewPassword: Bool, _ progress: inout Progress
    ) throws(Setback) {
        if kinds.contains(.passcode), asking.hasGivenPasscode {
            return try getPasscode(asking, &progress)
        }
        try checkInteraction(asking)
        // A finger that is still missing after the passcode is prompted for, too.
        if kinds.contains(.match), !(progress.wantsPasscode && kinds.contains(.passcode)) {
            try getMatch(asking, hasOtherWay: kinds.contains(.passcode), &progress)
        } else if kinds.contains(.passcode) {
            try getPasscode(asking, &progress)
        } else if kinds.contains(.applicationPassword) {
            try getApplicationPassword(asking, isNew: isNewPassword, notice: nil)
        } else {
            throw .authentication(.userFallback)
        }
    }

    private func checkInteraction(_ asking: PromptParameters) throws(Setback) {
        guard asking.interaction.isAllowed else { throw .authentication(.notInteractive) }
        if let obstacle = desk.obstacle(for: asking.caller) { throw .authentication(obstacle) }
    }

    private func getMatch(_ asking: PromptParameters, hasOtherWay: Bool, _ progress: inout Progress) throws(Setback) {
        let prompt = prompt(.finger, asking, notice: progress.notice)
        let context = try asking.context.identifier()
        let cancellation = Cancellation(seconds: Self.promptSeconds)
        let outcome = asking.whileAsking(cancellation) {
            turns.inTurn(cancellation) { () -> FingerWait.Outcome in
                let wait = FingerWait(
                    enclave: enclave, desk: desk, context: context, seconds: cancellation.secondsLeft ?? 0)
                return wait.run(prompt, for: asking.caller, until: cancellation)
            }
        }
        switch outcome {
        case nil:
            throw .authentication(cancellation.isCancelled ? .appCancelled : .timedOut)
        case .matched:
            progress.hasMatched = true
            progress.notice = nil
        case .contextLost:
            asking.context.forget(context)
        case .unclear(let touch):
            progress.notice = touch.words
        case .notMatched(let missesLeft):
            progress.misses += 1
            progress.notice = "Finger not recognised."
            // At the enclave's limit, its next verdict says what is possible now.
            guard missesLeft > 0, progress.misses >= Self.missLimit else { return }
            guard hasOtherWay else {
                throw .authentication(.authenticationFailed("The finger was not recognised three times."))
            }
            progress.wantsPasscode = true
        case .fallback:
            guard hasOtherWay else { throw .authentication(.userFallback) }
            progress.wantsPasscode = true
            progress.notice = nil
        case .refused(let failure):
            let isOfTheSensor = failure.error.isAboutBiometry
            guard isOfTheSensor, hasOtherWay else { throw .authentication(failure) }
            progress.wantsPasscode = true
            progress.notice = failure.refusal.reason
        }
    }

    private func getPasscode(_ asking: PromptParameters, _ progress: inout Progress) throws(Setback) {
        let passcode: SecretBox
        if let given = asking.takeGivenPasscode() {
            passcode = given
        } else {
            try checkInteraction(asking)
            passcode = try secret(prompt(.passcode, asking, notice: progress.notice), asking)
        }
        let context = try asking.context.identifier()
        let answer: ContextAnswer<Done>
        do throws(EnclaveRefusal) {
            answer = try enclave.ask(OfferPasscode(passcode, to: context))
        } catch {
            return try notice(error, &progress)
        }
        switch answer {
        case .known: progress.notice = nil
        case .unknown: asking.context.opened.map { asking.context.forget($0) }
        }
    }

    /// Lets the user type a wrong passcode again, until it was wrong three times or the enclave refuses further tries.
    private func notice(_ refusal: EnclaveRefusal, _ progress: inout Progress) throws(Setback) {
        switch refusal {
        case .wrongPasscode, .sameWrongPasscode, .malformed:
            progress.wrongPasscodes += 1
            guard progress.wrongPasscodes < Self.missLimit else { throw .authentication(.passcode(refusal)) }
            progress.notice = PasscodeWords.reason(refusal)
        default:
            throw .authentication(.passcode(refusal))
        }
    }

    private func getApplicationPassword(_ asking: PromptParameters, isNew: Bool, notice: String?) throws(Setback) {
        let password = try secret(prompt(.applicationPassword(isNew: isNew), asking, notice: notice), asking)
        guard password.count <= EnclaveLimits.applicationPasswordByteCount else {
            throw .authentication(
                .authenticationFailed(
                    "An application password has at most \(EnclaveLimits.applicationPasswordByteCount) bytes."))
        }
        _ = try ask(SetApplicationPassword(password, in: try asking.context.identifier()), asking)
        asking.context.passwordWasTyped.store(true, ordering: .relaxed)
    }

    private func secret(_ prompt: Prompt, _ asking: PromptParameters) throws(Setback) -> SecretBox {
        let cancellation = Cancellation(seconds: Self.promptSeconds)
        let outcome = asking.whileAsking(cancellation) { desk.ask(prompt, for: asking.caller, until: cancellation) }
        if let failure = outcome.failure(of: cancellation) { throw .authentication(failure) }
        guard case .answered(.secret(let secret)) = outcome else { throw .authentication(.userFallback) }
        return secret
    }

    private func prompt(_ kind: Prompt.Kind, _ asking: PromptParameters, notice: String?) -> Prompt {
        Prompt(
            kind: kind, program: asking.caller.application ?? asking.caller.name, team: teamName(asking.caller),
            level: asking.caller.level, reason: asking.interaction.reason,
            cancelTitle: asking.interaction.cancelTitle, fallbackTitle: asking.interaction.fallbackTitle,
            notice: notice, item: asking.item?.text)
    }

    /// Returns the enclave's answer. If the enclave has lost the context, forgets it and returns "unknown".
    private func ask<Value>(
        _ question: some EnclaveQuestion<ContextAnswer<Value>>, _ asking: PromptParameters
    ) throws(Setback) -> ContextAnswer<Value> {
        let answer = try enclave.answer(to: question)
        if case .unknown = answer { asking.context.opened.map { asking.context.forget($0) } }
        return answer
    }
}

extension AuthenticationError {
    fileprivate var isAboutBiometry: Bool {
        switch self {
        case .biometryNotAvailable, .biometryNotEnrolled, .biometryLockout, .biometryNotPaired, .biometryDisconnected:
            true
        default: false
        }
    }
}

extension UnclearTouch {
    fileprivate var words: String {
        switch self {
        case .again: "The reader did not see the finger well. Touch it again."
        case .tooShort: "That was too short. Touch the reader longer."
        case .notCentered: "Touch the reader with the middle of the finger."
        case .removeFinger: "Lift the finger, then touch the reader again."
        }
    }
}
