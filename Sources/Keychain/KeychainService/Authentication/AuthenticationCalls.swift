import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import Synchronization

/// The requests of an `LAContext`.
extension KeychainService {
    /// Blocks while the user is prompted.
    package func perform(
        _ request: AuthenticationRequest, caller: Caller, session: ServiceSession
    ) -> AuthenticationReply {
        do throws(Setback) {
            let reply = try answer(request, caller, session)
            if request.isEvaluation { records.putEvaluation(nil, by: caller) }
            return reply
        } catch .authentication(let failure) {
            if failure.hasErasedDevice { noticeErase(.erased) }
            return reply(to: failure, request, caller)
        } catch {
            let failure = failure(error)
            let refusal = failure.refusal ?? Refusal(rule: .enclaveRefused, reason: "\(error)", advice: "Try again.")
            return reply(to: AuthenticationFailure(.systemCancel, refusal), request, caller)
        }
    }

    private func answer(
        _ request: AuthenticationRequest, _ caller: Caller, _ session: ServiceSession
    ) throws(Setback) -> AuthenticationReply {
        guard !session.isOver else { throw .authentication(.contextEnded) }
        if let refusal = caller.refusal { throw .authentication(.refusedProgram(refusal)) }
        switch request {
        case .check(let policy):
            try check(policy, session)
            return .done(domainState: policy.isBiometric ? Self.domainState(of: try biometryStatus()) : nil)
        case .evaluate(let policy, let interaction):
            try authentication.satisfy(.policy(policy), asking(caller, session, interaction))
            let isMatched = policy == .deviceOwner ? try hasMatched(session) : policy.isBiometric
            return .done(domainState: isMatched ? Self.domainState(of: try biometryStatus()) : nil)
        case .evaluateAccessControl(let control, let operation, let interaction):
            try authentication.satisfy(
                .accessControl(control, operation), asking(caller, session, interaction),
                isNewPassword: operation == .encrypt)
            return .done(domainState: nil)
        case .setApplicationPassword(let password):
            session.context.passwordWasTyped.store(false, ordering: .relaxed)
            return try set(SetApplicationPassword(password, in: try session.context.identifier()))
        case .setPasscode(let passcode):
            guard caller.mayGivePasscode else { throw .authentication(.mayNotGivePasscode) }
            session.keep(passcode: passcode)
            return .done(domainState: nil)
        case .biometry:
            let status = try biometryStatus()
            return .biometry(status, domainState: Self.domainState(of: status))
        }
    }

    private func asking(_ caller: Caller, _ session: ServiceSession, _ interaction: Interaction) -> Asking {
        Asking(caller: caller, context: session.context, interaction: interaction, session: session)
    }

    /// Checks, without a prompt, whether an evaluation could succeed with the evidence of the context.
    private func check(_ policy: AuthenticationPolicy, _ session: ServiceSession) throws(Setback) {
        let context = try session.context.identifier()
        switch try enclave.answer(to: AssessDemand(.policy(policy), in: context)) {
        case .known(.refused(let rule)): throw .authentication(AuthenticationFailure(rule))
        case .known: return
        case .unknown:
            session.context.forget(context)
            throw .authentication(.contextEnded)
        }
    }

    private func set(_ question: some EnclaveQuestion<ContextAnswer<Done>>) throws(Setback) -> AuthenticationReply {
        switch try enclave.answer(to: question) {
        case .known: return .done(domainState: nil)
        case .unknown: throw .authentication(.contextEnded)
        }
    }

    private func biometryStatus() throws(Setback) -> BiometryStatus {
        try enclave.answer(to: AskBiometry())
    }

    /// Returns true if the context has evidence of a match. For policies that the passcode satisfies, too.
    private func hasMatched(_ session: ServiceSession) throws(Setback) -> Bool {
        let context = try session.context.identifier()
        if case .known(.granted)? = try? enclave.ask(AssessDemand(.policy(.biometry), in: context)) { return true }
        return false
    }

    /// Returns a digest of the identity of the set of enrolled fingers. It tells programs whether the set has changed,
    /// and does not reveal the identity itself.
    private static func domainState(of status: BiometryStatus) -> [UInt8]? {
        status.enrolmentSet.map { sha256(Array("latchkey domain state\0".utf8) + $0.bytes) }
    }

    private func reply(
        to failure: AuthenticationFailure, _ request: AuthenticationRequest, _ caller: Caller
    ) -> AuthenticationReply {
        if request.isEvaluation {
            let outcome = CallOutcome(
                operation: "evaluate", code: failure.callFailure.code, refusal: failure.refusal)
            records.explain(outcome, withLockState: true, to: caller)
            records.putEvaluation(failure, by: caller)
        }
        return .failed(failure.error, failure.refusal)
    }
}

extension AuthenticationPolicy {
    /// True if the passcode cannot satisfy the policy, only a match.
    fileprivate var isBiometric: Bool {
        switch self {
        case .biometry, .biometryOrCompanion: true
        case .deviceOwner, .companion, .wristDetection: false
        }
    }
}

extension AuthenticationRequest {
    /// True if the request may prompt the user. Such requests are recorded.
    fileprivate var isEvaluation: Bool {
        switch self {
        case .evaluate, .evaluateAccessControl: true
        case .check, .setApplicationPassword, .setPasscode, .biometry: false
        }
    }
}

extension AuthenticationFailure {
    fileprivate static let mayNotGivePasscode = AuthenticationFailure(
        .authenticationFailed, .passcodeNotFromProgram,
        "Only a program whose entitlements say so may give the device's passcode.",
        advice: "Let the person be asked, or sign the program with org.latchkey.authentication.passcode.")
}
