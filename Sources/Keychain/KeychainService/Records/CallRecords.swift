import LatchkeyAuditLog
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The end of a call in the words of the records: the act, its place, and the refusal. Never a value of a query.
struct CallOutcome: Sendable {
    var operation: String
    /// `genp`, `inet`; empty for what concerns the device.
    var itemClass = ""
    var accessGroup = ""
    var code = ResultCode.success
    /// Nil where the code says everything.
    var refusal: Refusal?
}

/// Puts the ends of calls on record: refusals in the journal, which explains them to the owner, and all of them in the audit
/// log.
///
/// Of the audit log, refusals, acts of the owner in another program's group, and acts on the device are in the file before
/// the answer is given. Other calls are counted.
final class CallRecords: Sendable {
    let journal: RefusalJournal
    let audit: AuditLog
    private let clock: any DeviceClock
    private let enclave: any EnclaveMailbox

    /// - Parameter directory: that of the keychain's files.
    init(directory: String, clock: any DeviceClock, enclave: any EnclaveMailbox) {
        self.clock = clock
        self.enclave = enclave
        journal = RefusalJournal(path: directory + "/refusals")
        audit = AuditLog(directory: directory, now: { clock.wallTime() }, uptime: { clock.uptime() })
    }

    /// Appends the refusal of a call to the journal.
    /// - Parameter withLockState: false where the lock has nothing to do with the refusal.
    func explain(_ outcome: CallOutcome, withLockState: Bool, to caller: Caller) {
        guard let refusal = outcome.refusal else { return }
        let lockState = withLockState ? lockStateName : ""
        journal.append(
            RefusalRecord(
                time: clock.wallTime(), caller: caller.name, application: caller.application,
                level: caller.level, operation: outcome.operation, itemClass: outcome.itemClass,
                accessGroup: outcome.accessGroup, lockState: lockState, code: outcome.code, refusal: refusal))
    }

    /// Records the outcome in the audit log.
    /// - Parameter atOnce: the record is in the file when this returns; otherwise the call is counted.
    func put(_ outcome: CallOutcome, atOnce: Bool, by caller: Caller) {
        let event = AuditEvent(
            program: caller.application ?? caller.name, team: caller.team, level: caller.level,
            processID: caller.process?.processID ?? 0, userID: caller.process?.userID ?? 0,
            executableDigest: caller.process?.executableDigest ?? [], operation: outcome.operation,
            itemClass: outcome.itemClass, accessGroup: outcome.accessGroup, code: outcome.code.rawValue,
            rule: outcome.refusal?.ruleName ?? "")
        audit.record(event, atOnce: atOnce)
    }

    private var lockStateName: String {
        guard let status = try? enclave.ask(AskStatus()) else { return "unknown" }
        return status.lockState.rawValue
    }
}
