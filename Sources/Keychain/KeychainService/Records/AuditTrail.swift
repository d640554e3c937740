import LatchkeyAuditLog
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// What the service tells the audit log: who did what in which group, and how it ended. Never a value of a query.
///
/// Refusals, what the owner does in another program's group, and what is done to the device are in the file before
/// the answer is given. Other calls are counted.
extension KeychainService {
    /// Writes the audit log once a second, for the thread that calls it. Without such a thread calls write it themselves.
    package func runAuditWriter() {
        audit.runWriter()
    }

    func putOnRecord(_ request: ItemRequest, _ caller: Caller, _ reply: ItemReply) {
        let named = request.owner?.accessGroup ?? request.named(AttributeName.accessGroup.rawValue)
        var event = AuditEvent(
            caller, operation: request.operation.name,
            accessGroup: named.isEmpty ? caller.accessGroups.first ?? "" : named)
        if request.owner != nil { event.operation = "owner-" + event.operation }
        event.itemClass = request.named("class")
        event.code = reply.code.rawValue
        event.rule = reply.refusal?.ruleName ?? ""
        audit.record(event, atOnce: reply.refusal != nil || request.owner != nil)
    }

    /// A use of a key of the enclave. It belongs to no group: who knows the key's bytes may use it.
    func putOnRecord(_ request: KeyRequest, _ caller: Caller, _ reply: KeyReply) {
        var event = AuditEvent(caller, operation: request.name, accessGroup: caller.accessGroups.first ?? "")
        event.itemClass = ItemClass.key.rawValue
        var refusal: Refusal?
        if case .failed(let code, let reason) = reply { (event.code, refusal) = (code.rawValue, reason) }
        event.rule = refusal?.ruleName ?? ""
        audit.record(event, atOnce: refusal != nil)
    }

    /// An evaluation without an item (`LAContext`), with its failure if it failed.
    func putEvaluationOnRecord(_ caller: Caller, _ failure: AuthenticationFailure?) {
        var event = AuditEvent(caller, operation: "evaluate", accessGroup: "")
        if let failure { (event.code, event.rule) = (failure.callFailure.code.rawValue, failure.refusal.ruleName) }
        audit.record(event, atOnce: failure != nil)
    }

    func putOnRecord(_ request: DeviceRequest, _ caller: Caller, _ reply: DeviceReply) {
        guard let subject = request.auditedSubject else { return }
        var event = AuditEvent(caller, operation: subject.operation, accessGroup: subject.name)
        switch reply {
        case .refused(let refusal): (event.code, event.rule) = (refusal.auditedCode.rawValue, refusal.auditedRule)
        case .declined(let code, let refusal): (event.code, event.rule) = (code.rawValue, refusal.ruleName)
        case .done, .forgotten, .status, .refusals, .teams, .applications, .biometry, .ownersTool, .adopted,
            .unreachable, .endings, .endedItems, .passcodeCost:
            break
        }
        audit.record(event, atOnce: true)
    }
}

extension AuditEvent {
    fileprivate init(_ caller: Caller, operation: String, accessGroup: String) {
        self.init(
            program: caller.application ?? caller.name, team: caller.team, level: caller.level,
            processID: caller.process?.processID ?? 0, userID: caller.process?.userID ?? 0,
            executableDigest: caller.process?.executableDigest ?? [], operation: operation, itemClass: "",
            accessGroup: accessGroup, code: 0, rule: "")
    }
}

extension DeviceRequest {
    /// What is done to the device, and to which of its teams or apps; nil for questions.
    var auditedSubject: (operation: String, name: String)? {
        switch self {
        case .status, .refusals, .teams, .applications, .ownersTool, .endings, .endedItems, .passcodeCost: nil
        case .setPasscode: ("set-passcode", "")
        case .changePasscode: ("change-passcode", "")
        case .removePasscode: ("remove-passcode", "")
        case .unlock: ("unlock", "")
        case .lock: ("lock", "")
        case .erase: ("erase", "")
        case .configure: ("configure", "")
        case .biometry(let request): request.auditedOperation.map { ($0, "") }
        case .trustTeam, .revokeTeam, .forgetApplication, .configureApplications, .requireLevel, .adopt,
            .revokeTools:
            registrySubject
        }
    }
}

extension BiometryRequest {
    /// Nil for questions and for the steps of what was recorded at its beginning.
    fileprivate var auditedOperation: String? {
        switch self {
        case .status, .continueEnrolment, .cancelEnrolment, .cancelUnlock: nil
        case .beginEnrolment: "enrol-finger"
        case .removeFinger: "remove-finger"
        case .unlockWithFinger: "unlock-with-finger"
        case .lockRemotely: "lock-remotely"
        }
    }
}

extension EnclaveRefusal {
    fileprivate var auditedCode: ResultCode {
        switch self {
        case .storage, .malformed: .notAvailable
        default: .authFailed
        }
    }

    /// The enclave's refusals have no rules of the keychain; the log names them like this (`Docs/Formats/audit-log.md`).
    fileprivate var auditedRule: String {
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
