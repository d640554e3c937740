package import LatchkeyAccessControl
import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    /// Returns the evidence of a context that is valid now; nil if the context does not exist.
    func contextState(of context: ContextIdentifier) -> AuthenticationContexts.ContextState? {
        let uptime = clock.uptime()
        let moment = state.withLock { state in
            AuthenticationContexts.Moment(era: state.era, uptime: uptime, fingerUnlock: state.fingerUnlock)
        }
        return contexts.contextState(of: context, at: moment)
    }

    /// Returns the environment in which a constraint is judged.
    /// - Parameter lookingAtSensor: false if the sensor cannot affect the result; biometry is then "not available".
    func environment(lookingAtSensor: Bool, keyClass: KeyClass? = nil) -> DeviceEnvironment {
        let look = lookingAtSensor ? enrolment.look() : nil
        let uptime = clock.uptime()
        return state.withLock { state in
            let hasPasscode = state.keybag.hasPasscode
            return DeviceEnvironment(
                classKey: keyClass.map { state.availability(of: $0) } ?? .available, hasPasscode: hasPasscode,
                biometry: Self.biometry(
                    look, hasPasscode: hasPasscode, isLockedOut: state.biometry.isLockedOut(uptime: uptime)))
        }
    }

    /// Returns the state of biometry. Obstacles are reported in this order: sensor, passcode, fingers, lockout.
    static func biometry(
        _ look: EnrolmentWatch.Look?, hasPasscode: Bool, isLockedOut: Bool
    ) -> DeviceEnvironment.Biometry {
        guard let look else { return .unusable(rule: .biometryNotAvailable, nil) }
        if let rule = look.rule, rule != .biometryNotEnrolled { return .unusable(rule: rule, look.set) }
        guard hasPasscode else { return .unusable(rule: .passcodeNotSet, look.set) }
        guard let set = look.set else { return .unusable(rule: .biometryNotEnrolled, nil) }
        return isLockedOut ? .unusable(rule: .biometryLockedOut, set) : .usable(set)
    }

    package func answer(_ question: OpenContext) -> OpenedContext {
        newContext().map { .opened($0) } ?? .tooMany
    }

    /// Opens a context; returns nil if too many are open.
    func newContext() -> ContextIdentifier? {
        let era = state.withLock { $0.era }
        return contexts.open(era: era, uptime: clock.uptime(), entropy: entropy)
    }

    package func answer(_ question: CloseContext) -> ContextAnswer<Done> {
        let wasOpen = contexts.close(question.context)
        escrows.end(question.context)
        waits.cancel(of: .context(question.context))
        return answer(wasOpen)
    }

    package func answer(_ question: AllowReuse) -> ContextAnswer<Done> {
        answer(contexts.allowReuse(seconds: question.seconds, in: question.context))
    }

    package func answer(_ question: CancelMatch) -> ContextAnswer<Done> {
        guard contexts.isOpen(question.context) else { return .unknown }
        waits.cancel(of: .context(question.context))
        return .known(Done())
    }

    package func answer(_ question: AssessDemand) -> ContextAnswer<Verdict> {
        guard let contextState = contextState(of: question.context) else { return .unknown }
        let verdict: Verdict
        switch question.demand {
        case .policy(let policy):
            let environment = environment(lookingAtSensor: policy.constraint.isAboutBiometry)
            verdict = policy.verdict(evidence: contextState.evidence, environment: environment)
        case .accessControl(let control, let operation):
            let constraint = control.constraint(for: operation)
            var environment = environment(
                lookingAtSensor: constraint?.isAboutBiometry ?? false,
                keyClass: KeyClass(control.protection))
            // The enclave has no class key for "until reboot".
            if KeyClass(control.protection) == nil { environment.classKey = .missing }
            verdict = control.verdict(for: operation, evidence: contextState.evidence, environment: environment)
        }
        if verdict == .granted { keepReused(contextState, in: question.context) }
        return .known(verdict)
    }

    /// If an unlock of the device satisfied an evaluation, it stays satisfied after the reuse window.
    private func keepReused(_ contextState: AuthenticationContexts.ContextState, in context: ContextIdentifier) {
        guard let match = contextState.evidence.match else { return }
        let (era, unlock) = state.withLock { ($0.era, $0.fingerUnlock) }
        guard unlock == match else { return }
        _ = contexts.add(match: match, era: era, to: context)
    }

    package func answer(_ question: OfferPasscode) throws(EnclaveRefusal) -> ContextAnswer<Done> {
        guard contexts.isOpen(question.context) else { return .unknown }
        var era: UInt64 = 0
        try operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            era = state.withLock { $0.era }
            _ = try open(keybag, with: question.passcode)
        }
        return answer(contexts.add(passcodeUptime: clock.uptime(), era: era, to: question.context))
    }

    package func answer(_ question: SetApplicationPassword) throws(EnclaveRefusal) -> ContextAnswer<Done> {
        let context = question.context
        guard contexts.isOpen(context) else { return .unknown }
        guard let password = question.password else { return answer(contexts.setPasswordKey(nil, in: context)) }
        guard password.count <= EnclaveLimits.applicationPasswordByteCount else {
            let limit = EnclaveLimits.applicationPasswordByteCount
            throw .malformed(reason: "an application password has at most \(limit) bytes, not \(password.count)")
        }
        do throws(CryptoFailure) {
            let key = try ApplicationPassword.key(
                for: password, on: storage.hardwareKey, log2Cost: applicationPasswordCost)
            return answer(contexts.setPasswordKey(key, in: context))
        } catch {
            throw .storage(reason: "the application password cannot be stretched: \(error)")
        }
    }

    private var applicationPasswordCost: UInt32 {
        switch passcodeCost {
        case .calibrated: ApplicationPassword.log2Cost
        case .fixed: calibration.cost(for: passcodeCost).log2Cost
        }
    }

    package func answer(_ question: BindAccessControl) -> BoundAccessControl {
        bound(question.accessControl)
    }

    /// Returns the access control in the form that an item or key stores. One that is already bound is unchanged, as
    /// long as its enrolment set still exists.
    func bound(_ control: AccessControl) -> BoundAccessControl {
        guard control.needsEnrolmentToAdd else {
            return control.bound(to: nil).map { .bound($0) } ?? .notBound(nil)
        }
        let environment = environment(lookingAtSensor: true)
        guard environment.hasPasscode else { return .notBound(.passcodeNotSet) }
        guard let set = environment.biometry.enrolmentSet else {
            guard case .unusable(let rule, _) = environment.biometry else { return .notBound(nil) }
            return .notBound(rule)
        }
        guard let bound = control.bound(to: set) else { return .notBound(nil) }
        if let itsSet = bound.enrolmentSet, itsSet != set { return .notBound(.enrolmentChanged) }
        return .bound(bound)
    }

    private func answer(_ isOpen: Bool) -> ContextAnswer<Done> {
        isOpen ? .known(Done()) : .unknown
    }
}

extension DeviceState {
    fileprivate func availability(of keyClass: KeyClass) -> DeviceEnvironment.ClassKey {
        if keys[keyClass] != nil { return .available }
        return keybag.keybag.classKey(keyClass) == nil ? .missing : .locked
    }
}
