import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

/// A program's question of an `LAContext`, with what its answer needs.
struct PersonCall: AuthenticationAnswers {
    let enclave: any EnclaveMailbox
    let broker: AuthenticationBroker
    let caller: Caller
    let session: ServiceSession

    /// Checks, without a prompt, whether an evaluation could succeed with the evidence of the context.
    func answer(_ question: CheckPolicy) throws(Setback) -> PolicyFulfilment {
        let context = try session.context.identifier()
        switch try enclave.answer(to: AssessDemand(.policy(question.policy), in: context)) {
        case .known(.refused(let rule)): throw .authentication(AuthenticationFailure(rule))
        case .known: return try fulfilment(hasMatched: question.policy.isBiometric)
        case .unknown:
            session.context.forget(context)
            throw .authentication(.contextEnded)
        }
    }

    func answer(_ question: EvaluatePolicy) throws(Setback) -> PolicyFulfilment {
        try broker.satisfy(question.demand, asking(question.interaction))
        return try fulfilment(
            hasMatched: question.policy == .deviceOwner ? try hasMatched() : question.policy.isBiometric)
    }

    func answer(_ question: EvaluateAccessControl) throws(Setback) -> AuthenticationDone {
        try broker.satisfy(
            question.demand, asking(question.interaction), isNewPassword: question.operation == .encrypt)
        return AuthenticationDone()
    }

    func answer(_ question: SetContextPassword) throws(Setback) -> AuthenticationDone {
        session.context.passwordWasTyped.store(false, ordering: .relaxed)
        let context = try session.context.identifier()
        switch try enclave.answer(to: SetApplicationPassword(question.password, in: context)) {
        case .known: return AuthenticationDone()
        case .unknown: throw .authentication(.contextEnded)
        }
    }

    func answer(_ question: SetContextPasscode) throws(Setback) -> AuthenticationDone {
        guard caller.mayGivePasscode else { throw .authentication(.mayNotGivePasscode) }
        session.keep(passcode: question.passcode)
        return AuthenticationDone()
    }

    func answer(_ question: DescribeBiometry) throws(Setback) -> DeviceBiometry {
        let status = try enclave.answer(to: AskBiometry())
        return DeviceBiometry(status, domainState: status.domainState)
    }

    private func asking(_ interaction: Interaction) -> PromptParameters {
        PromptParameters(caller: caller, context: session.context, interaction: interaction, session: session)
    }

    private func fulfilment(hasMatched: Bool) throws(Setback) -> PolicyFulfilment {
        PolicyFulfilment(domainState: hasMatched ? try enclave.answer(to: AskBiometry()).domainState : nil)
    }

    /// Returns true if the context has evidence of a match. For policies that the passcode satisfies, too.
    private func hasMatched() throws(Setback) -> Bool {
        let context = try session.context.identifier()
        if case .known(.granted)? = try? enclave.ask(AssessDemand(.policy(.biometry), in: context)) { return true }
        return false
    }
}

extension BiometryStatus {
    /// A digest of the identity of the set of enrolled fingers. It tells programs whether the set has changed, and does
    /// not reveal the identity itself.
    fileprivate var domainState: [UInt8]? {
        enrolmentSet.map { sha256(Array("latchkey domain state\0".utf8) + $0.bytes) }
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

extension AuthenticationFailure {
    fileprivate static let mayNotGivePasscode = AuthenticationFailure(.authenticationFailed, .passcodeNotFromProgram)
}
