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
    /// Signatures of the team count from now on, until `expires` (seconds since 2001-01-01 00:00:00 UTC). Its key is
    /// pinned. This and the other changes below need the passcode where one is set.
    case trustTeam(key: TeamPublicKey, name: String, expires: Double?, passcode: SecretBox?)
    case revokeTeam(TeamIdentifier, passcode: SecretBox?)
    case teams
    case applications
    /// - Parameter removesItems: whether items of groups that no other app has go too; nil: as the device is set to.
    case forgetApplication(String, removesItems: Bool?, passcode: SecretBox?)
    /// Whether the items of a forgotten app go, where ``forgetApplication(_:removesItems:passcode:)`` does not say.
    case configureApplications(removesItems: Bool, passcode: SecretBox?)
    /// The weakest assurance level at which the device serves a program from now on; C serves all.
    case requireLevel(AssuranceLevel, passcode: SecretBox?)
    /// Whether the program that asks is the owner's tool, and the other groups in which the tool kept items.
    case ownersTool
    /// Moves items that the tool kept elsewhere to the owner's group; a program that is not the tool yet becomes it.
    case adopt(passcode: SecretBox?)
    /// Only the tool that the daemon knows by itself stays the owner's.
    case revokeTools(passcode: SecretBox?)
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
    /// By teams' identifiers.
    case teams([TrustedTeam])
    case applications([RegisteredApplication])
    /// An app is forgotten, and this many items with it.
    case forgotten(removedItems: Int)
    case ownersTool(OwnersTool)
    case adopted(Adoption)
    case passcodeCost(secondsPerTry: Double)
    case endings(EndingPreview)
    case endedItems([EndedItem])
    /// Refused by a rule of the keychain's own.
    case declined(ResultCode, Refusal)
    /// The daemon gave no answer; made by the caller's side, never sent.
    case unreachable(Refusal)
}
