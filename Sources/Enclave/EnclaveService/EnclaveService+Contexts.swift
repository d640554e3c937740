import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEnclaveStorage
import LatchkeyKeybag
import LatchkeySecretMemory
import Synchronization

extension EnclaveService {
    func perform(_ request: ContextRequest) -> EnclaveReply {
        switch request {
        case .open: openContext()
        case .close(let context): close(context)
        case .allowReuse(let seconds, let context): answer(contexts.allowReuse(seconds: seconds, in: context))
        case .assess(let demand, let context): assess(demand, in: context)
        case .matchFinger(let seconds, let context): matchFinger(seconds: seconds, for: context)
        case .cancelMatch(let context): cancelMatch(of: context)
        case .offerPasscode(let passcode, let context): offer(passcode, to: context)
        case .setApplicationPassword(let password, let context): setApplicationPassword(password, in: context)
        case .bind(let accessControl): bind(accessControl)
        }
    }

    /// What a context was proved, as far as it counts now; nil if there is no such context.
    func standing(of context: ContextIdentifier) -> AuthenticationContexts.Standing? {
        let uptime = clock.uptime()
        let moment = state.withLock { state in
            AuthenticationContexts.Moment(era: state.era, uptime: uptime, fingerUnlock: state.fingerUnlock)
        }
        return contexts.standing(of: context, at: moment)
    }

    /// What of the device decides over a constraint.
    /// - Parameter lookingAtSensor: false where the sensor's answer cannot matter; it then says "not available".
    func circumstances(lookingAtSensor: Bool, keyClass: KeyClass? = nil) -> Circumstances {
        let look = lookingAtSensor ? enrolment.look() : nil
        let uptime = clock.uptime()
        return state.withLock { state in
            let hasPasscode = state.keybag.hasPasscode
            return Circumstances(
                classKey: keyClass.map { state.availability(of: $0) } ?? .available, hasPasscode: hasPasscode,
                biometry: Self.biometry(
                    look, hasPasscode: hasPasscode, isLockedOut: state.biometry.isLockedOut(uptime: uptime)))
        }
    }

    /// In the order in which they are told: what no passcode mends, the passcode, the fingers, the lockout.
    static func biometry(
        _ look: EnrolmentWatch.Look?, hasPasscode: Bool, isLockedOut: Bool
    ) -> Circumstances.Biometry {
        guard let look else { return .unusable(rule: .biometryNotAvailable, nil) }
        if let rule = look.rule, rule != .biometryNotEnrolled { return .unusable(rule: rule, look.set) }
        guard hasPasscode else { return .unusable(rule: .passcodeNotSet, look.set) }
        guard let set = look.set else { return .unusable(rule: .biometryNotEnrolled, nil) }
        return isLockedOut ? .unusable(rule: .biometryLockedOut, set) : .usable(set)
    }

    private func openContext() -> EnclaveReply {
        let era = state.withLock { $0.era }
        let opened = contexts.open(era: era, uptime: clock.uptime(), entropy: entropy)
        return .context(opened.map { .opened($0) } ?? .tooMany)
    }

    private func close(_ context: ContextIdentifier) -> EnclaveReply {
        let wasOpen = contexts.close(context)
        waits.cancel(of: .context(context))
        return answer(wasOpen)
    }

    private func cancelMatch(of context: ContextIdentifier) -> EnclaveReply {
        guard contexts.isOpen(context) else { return .context(.unknown) }
        waits.cancel(of: .context(context))
        return .context(.done)
    }

    private func assess(_ demand: AuthenticationDemand, in context: ContextIdentifier) -> EnclaveReply {
        guard let standing = standing(of: context) else { return .context(.unknown) }
        let verdict: Verdict
        switch demand {
        case .policy(let policy):
            let circumstances = circumstances(lookingAtSensor: policy.constraint.isAboutBiometry)
            verdict = policy.verdict(evidence: standing.evidence, circumstances: circumstances)
        case .accessControl(let control, let operation):
            let constraint = control.constraint(for: operation)
            var circumstances = circumstances(
                lookingAtSensor: constraint?.isAboutBiometry ?? false,
                keyClass: KeyClass(control.protection))
            // "Until reboot" has no key that the enclave keeps.
            if KeyClass(control.protection) == nil { circumstances.classKey = .missing }
            verdict = control.verdict(for: operation, evidence: standing.evidence, circumstances: circumstances)
        }
        if verdict == .granted { keepReused(standing, in: context) }
        return .context(.verdict(verdict))
    }

    /// An evaluation that an unlock of the device fulfilled stays fulfilled when the reuse window is over.
    private func keepReused(_ standing: AuthenticationContexts.Standing, in context: ContextIdentifier) {
        guard let match = standing.evidence.match else { return }
        let (era, unlock) = state.withLock { ($0.era, $0.fingerUnlock) }
        guard unlock == match else { return }
        _ = contexts.add(match: match, era: era, to: context)
    }

    private func offer(_ passcode: SecretBox, to context: ContextIdentifier) -> EnclaveReply {
        guard contexts.isOpen(context) else { return .context(.unknown) }
        var era: UInt64 = 0
        let reply = operation { keybag throws(EnclaveRefusal) in
            guard keybag.hasPasscode else { throw .noPasscodeSet }
            era = state.withLock { $0.era }
            _ = try open(keybag, with: passcode)
        }
        guard case .done = reply else { return reply }
        return answer(contexts.add(passcodeUptime: clock.uptime(), era: era, to: context))
    }

    private func setApplicationPassword(_ password: SecretBox?, in context: ContextIdentifier) -> EnclaveReply {
        guard contexts.isOpen(context) else { return .context(.unknown) }
        guard let password else { return answer(contexts.setPasswordKey(nil, in: context)) }
        guard password.count <= EnclaveLimits.applicationPasswordByteCount else {
            let limit = EnclaveLimits.applicationPasswordByteCount
            return .refused(
                .malformed(reason: "an application password has at most \(limit) bytes, not \(password.count)"))
        }
        do throws(CryptoFailure) {
            let key = try ApplicationPassword.key(
                for: password, on: storage.hardwareKey, log2Cost: applicationPasswordCost)
            return answer(contexts.setPasswordKey(key, in: context))
        } catch {
            return .refused(.storage(reason: "the application password cannot be stretched: \(error)"))
        }
    }

    private var applicationPasswordCost: UInt32 {
        switch passcodeCost {
        case .calibrated: ApplicationPassword.log2Cost
        case .fixed: calibration.cost(for: passcodeCost).log2Cost
        }
    }

    private func bind(_ control: AccessControl) -> EnclaveReply {
        switch binding(of: control) {
        case .bound(let bound): return .context(.bound(bound))
        case .notBound(let rule): return .context(.notBound(rule))
        }
    }

    enum Binding {
        case bound(AccessControl)
        case notBound(VerdictRule?)
    }

    /// The access control as an item or a key keeps it. One that is bound already stays as it is, while what it is
    /// bound to is there.
    func binding(of control: AccessControl) -> Binding {
        guard control.needsEnrolmentToAdd else {
            return control.bound(to: nil).map { .bound($0) } ?? .notBound(nil)
        }
        let circumstances = circumstances(lookingAtSensor: true)
        guard circumstances.hasPasscode else { return .notBound(.passcodeNotSet) }
        guard let set = circumstances.biometry.enrolmentSet else {
            guard case .unusable(let rule, _) = circumstances.biometry else { return .notBound(nil) }
            return .notBound(rule)
        }
        guard let bound = control.bound(to: set) else { return .notBound(nil) }
        if let itsSet = bound.enrolmentSet, itsSet != set { return .notBound(.enrolmentChanged) }
        return .bound(bound)
    }

    private func answer(_ isOpen: Bool) -> EnclaveReply {
        .context(isOpen ? .done : .unknown)
    }
}

extension DeviceState {
    fileprivate func availability(of keyClass: KeyClass) -> Circumstances.ClassKey {
        if keys[keyClass] != nil { return .available }
        return keybag.keybag.classKey(keyClass) == nil ? .missing : .locked
    }
}
