import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The outcomes of calls, in the words of the audit log.
extension CallRecords {
    func put(_ reply: ItemReply, to request: ItemRequest, by caller: Caller) {
        var outcome = request.outcome(reply.code, reply.refusal)
        if outcome.accessGroup.isEmpty { outcome.accessGroup = caller.accessGroups.first ?? "" }
        if request.owner != nil { outcome.operation = "owner-" + outcome.operation }
        put(outcome, atOnce: reply.refusal != nil || request.owner != nil, by: caller)
    }

    /// A question about an enclave key, with its refusal if it was refused, which the journal explains.
    func put<Question: KeyQuestion>(_ refusal: EnclaveKeyRefusal?, of question: Question, by caller: Caller) {
        guard Question.traits.contains(.audited) else { return }
        var outcome = CallOutcome(operation: Question.name, itemClass: ItemClass.key.rawValue)
        if let refusal { (outcome.code, outcome.refusal) = (refusal.code, refusal.refusal) }
        explain(outcome, withLockState: true, to: caller)
        // A key belongs to no group: a caller that knows the key's blob may use it.
        outcome.accessGroup = caller.accessGroups.first ?? ""
        put(outcome, atOnce: outcome.refusal != nil, by: caller)
    }

    /// A question about the keys of files, with its refusal if it was refused, or the first one of its files, which the
    /// journal explains. Neither log names a file: the daemon does not know its path.
    func put<Question: FileKeyQuestion>(_ refusal: FileKeyRefusal?, of question: Question, by caller: Caller) {
        guard Question.traits.contains(.audited) else { return }
        var outcome = CallOutcome(operation: Question.name)
        if let refusal { (outcome.code, outcome.refusal) = (refusal.code, refusal.refusal) }
        explain(outcome, withLockState: true, to: caller)
        // A key belongs to no group, as that of the enclave.
        outcome.accessGroup = caller.accessGroups.first ?? ""
        put(outcome, atOnce: outcome.refusal != nil, by: caller)
    }

    /// An evaluation without an item (`LAContext`), with its failure if it failed, which the journal explains. Questions
    /// that prompt no user are not recorded.
    func put<Question: AuthenticationQuestion>(
        _ failure: AuthenticationFailure?, of question: Question, by caller: Caller
    ) {
        guard Question.traits.contains(.audited) else { return }
        var outcome = CallOutcome(operation: Question.name)
        if let failure { (outcome.code, outcome.refusal) = (failure.callFailure.code, failure.refusal) }
        explain(outcome, withLockState: true, to: caller)
        put(outcome, atOnce: failure != nil, by: caller)
    }

    /// Something that was done to the device, or to one of its teams or apps, with the refusal if it was refused.
    /// Questions that do nothing are not recorded.
    func put<Question: DeviceQuestion>(_ refusal: DeviceRefusal?, of question: Question, by caller: Caller) {
        guard Question.traits.contains(.audited) else { return }
        var outcome = question.outcome()
        switch refusal {
        case .refused(let refusal): (outcome.code, outcome.refusal) = (refusal.auditedCode, refusal.audited)
        case .declined(let code, let refusal): (outcome.code, outcome.refusal) = (code, refusal)
        case .unreachable(let refusal): (outcome.code, outcome.refusal) = (.notAvailable, refusal)
        case nil: break
        }
        put(outcome, atOnce: true, by: caller)
    }
}

extension ItemRequest {
    func outcome(_ code: ResultCode, _ refusal: Refusal?) -> CallOutcome {
        CallOutcome(
            operation: operation.name, itemClass: named("class"),
            accessGroup: owner?.accessGroup ?? named(AttributeName.accessGroup.rawValue), code: code, refusal: refusal)
    }
}

extension DeviceQuestion {
    func outcome(_ code: ResultCode = .success, _ refusal: Refusal? = nil) -> CallOutcome {
        CallOutcome(operation: Self.name, accessGroup: subject, code: code, refusal: refusal)
    }
}

extension EnclaveRefusal {
    fileprivate var auditedCode: ResultCode {
        switch self {
        case .storage, .malformed: .notAvailable
        default: .authFailed
        }
    }

    fileprivate var audited: Refusal {
        Refusal(ruleName: auditedRule, reason: PasscodeWords.reason(self), advice: PasscodeWords.advice(self))
    }

    /// The enclave's refusals have no rules of the keychain; the log names them like this (`Docs/Formats/audit-log.md`).
    private var auditedRule: String {
        switch self {
        case .wrongPasscode: "wrong-passcode"
        case .sameWrongPasscode: "same-wrong-passcode"
        case .delayed: "attempts-delayed"
        case .disabled: "device-disabled"
        case .erased: "device-erased"
        case .passcodeNeeded: "passcode-needed"
        case .passcodeAlreadySet: "passcode-already-set"
        case .noPasscodeSet: "no-passcode-set"
        case .badPasscode: "passcode-unusable"
        case .storage: "enclave-storage"
        case .malformed: "enclave-malformed"
        }
    }
}
