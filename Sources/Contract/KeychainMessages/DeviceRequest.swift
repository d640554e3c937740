package import LatchkeyCodeSignature
package import LatchkeyEnclaveCore
package import LatchkeyItemModel
package import LatchkeySecretMemory

/// What the owner asks of the device itself.
package enum DeviceRequest: Sendable {
    case status
    case setPasscode(new: SecretBox)
    case changePasscode(current: SecretBox, new: SecretBox)
    case removePasscode(current: SecretBox)
    case unlock(passcode: SecretBox)
    case lock(immediately: Bool)
    case erase(passcode: SecretBox?)
    case configure(
        passcode: SecretBox?, eraseAfterTenFailures: Bool?, gracePeriodSeconds: Double?,
        lockAfterSeconds: Double? = nil)
    /// The cost of one try of a new passcode on this machine.
    case passcodeCost
    /// The items that an act of the owner would end; asked before the act.
    case endings(EndingCause)
    /// Items that ended on purpose, the last ones first.
    case endedItems(limit: Int)
    /// What the owner does with fingers, and the remote lock.
    case biometry(BiometryRequest)
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
    /// Whether the items of a forgotten app go.
    package var removesItemsOfForgottenApps: Bool
    /// The weakest assurance level at which a program is served.
    package var requiredLevel: AssuranceLevel
    /// The level of the program that asks.
    package var callerLevel: AssuranceLevel
    /// Items that were destroyed on purpose, which is not damage.
    package var endedItems: [EndedItemCount]

    package init(
        enclave: EnclaveStatus, kind: String, directory: String, itemCounts: [String: Int64],
        quarantinedRows: Int64, damageReport: String?, removesItemsOfForgottenApps: Bool = false,
        requiredLevel: AssuranceLevel = .c, callerLevel: AssuranceLevel = .c, endedItems: [EndedItemCount] = []
    ) {
        self.enclave = enclave
        self.kind = kind
        self.directory = directory
        self.itemCounts = itemCounts
        self.quarantinedRows = quarantinedRows
        self.damageReport = damageReport
        self.removesItemsOfForgottenApps = removesItemsOfForgottenApps
        self.requiredLevel = requiredLevel
        self.callerLevel = callerLevel
        self.endedItems = endedItems
    }
}

/// A refusal as the device remembers it.
package struct RefusalRecord: Sendable, Hashable {
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package let time: Double
    package let caller: String
    /// `TEAM.bundle` of the caller's signature; nil for an unsigned program.
    package let application: String?
    package let level: AssuranceLevel
    package let operation: String
    package let itemClass: String
    package let accessGroup: String
    package let lockState: String
    package let code: ResultCode
    package let refusal: Refusal

    package init(
        time: Double, caller: String, application: String?, level: AssuranceLevel, operation: String,
        itemClass: String, accessGroup: String, lockState: String, code: ResultCode, refusal: Refusal
    ) {
        self.time = time
        self.caller = caller
        self.application = application
        self.level = level
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
    case biometry(BiometryReply)
    case passcodeCost(secondsPerTry: Double)
    case endings(EndingPreview)
    case endedItems([EndedItem])
    /// Refused by a rule of the keychain's own.
    case declined(ResultCode, Refusal)
    /// The daemon gave no answer; made by the caller's side, never sent.
    case unreachable(Refusal)
}
