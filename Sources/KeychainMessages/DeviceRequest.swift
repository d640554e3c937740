package import EnclaveCore
package import ItemModel
package import SecretMemory

/// What the owner asks of the device itself.
package enum DeviceRequest: Sendable {
    case status
    case setPasscode(new: SecretBox)
    case changePasscode(current: SecretBox, new: SecretBox)
    case removePasscode(current: SecretBox)
    case unlock(passcode: SecretBox)
    case lock(immediately: Bool)
    case erase(passcode: SecretBox?)
    case configure(passcode: SecretBox?, eraseAfterTenFailures: Bool?, gracePeriodSeconds: Double?)
    /// The last refusals, newest first.
    case refusals(limit: Int)
}

package struct DeviceStatus: Sendable, Equatable {
    package var enclave: EnclaveStatus
    /// How the device is reached: "daemon" or "embedded".
    package var kind: String
    package var directory: String
    /// Live rows per class, tombstones not counted.
    package var itemCounts: [String: Int64]
    package var quarantinedRows: Int64
    /// A damaged database file that was set aside, with what to do; nil normally.
    package var damageReport: String?

    package init(
        enclave: EnclaveStatus, kind: String, directory: String, itemCounts: [String: Int64],
        quarantinedRows: Int64, damageReport: String?
    ) {
        self.enclave = enclave
        self.kind = kind
        self.directory = directory
        self.itemCounts = itemCounts
        self.quarantinedRows = quarantinedRows
        self.damageReport = damageReport
    }
}

/// A refusal as the device remembers it.
package struct RefusalRecord: Sendable, Hashable {
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package let time: Double
    package let caller: String
    package let operation: String
    package let itemClass: String
    package let accessGroup: String
    package let lockState: String
    package let code: ResultCode
    package let refusal: Refusal

    package init(
        time: Double, caller: String, operation: String, itemClass: String, accessGroup: String, lockState: String,
        code: ResultCode, refusal: Refusal
    ) {
        self.time = time
        self.caller = caller
        self.operation = operation
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.lockState = lockState
        self.code = code
        self.refusal = refusal
    }
}

package enum DeviceReply: Sendable {
    case done
    case status(DeviceStatus)
    case refusals([RefusalRecord])
    case refused(EnclaveRefusal)
    /// The daemon gave no answer; made by the caller's side, never sent.
    case unreachable(Refusal)
}
