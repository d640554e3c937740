package import LatchkeyEncoding

/// Asks how far the exchange of items is, and with whom.
package struct DescribeCircle: SyncQuestion, BareKeychainQuestion {
    package static let number: Int64 = 56
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> CircleReport {
        try circle.answer(self)
    }
}

/// The circle of this device, its store, its devices, and what is on its way.
package struct CircleReport: Sendable, Hashable {
    package enum Membership: Int64, Sendable, CaseIterable {
        case none = 0
        /// A request is in the store, and no member has approved it yet.
        case waiting = 1
        case member = 2
        /// The device was removed, or has left.
        case departed = 3
        /// The member that admitted the device was removed at the same time: the device has to ask again.
        case void = 4
    }

    package var membership = Membership.none
    package var circle: [UInt8]?
    package var device: [UInt8]?
    package var store: StoreAddress?
    package var isPaused = false
    /// True for a member that waits until another one has seen its admission: until then its changes stay here.
    package var isJoining = false
    /// The last failure of the store, if its last call failed.
    package var storeTrouble: String?
    package var lastExchange: WallTime?
    /// Changes of this device that are not in the store yet.
    package var waitingChanges: Int64 = 0
    /// Objects of other devices that do not open before the device is unlocked.
    package var waitingObjects: Int64 = 0
    package var conflicts: Int64 = 0
    package var sharedItems: Int64 = 0
    /// Synchronizable items that stay on this device, by the name of the reason.
    package var localItems: [String: Int64] = [:]
    package var invitationExpires: WallTime?
    package var alarms: [CircleAlarm] = []
    package var devices: [CircleDevice] = []
    /// The groups that the circle shares although they are local by default.
    package var allowedGroups: [String] = []
    /// The fingerprint of this device in its circle, or in the one that it asks.
    package var fingerprint: FingerprintText?
    /// The identity with which this device asks to be admitted, while it does.
    package var asking: [UInt8]?
    /// The member that has to approve that, if no code proves the circle.
    package var approver: [UInt8]?

    package init() {}

    /// False if the device is in a circle that could not be read: then no number of the report means anything.
    package var isKnown: Bool {
        switch membership {
        case .none, .waiting: true
        // A circle has the device itself at least.
        case .member, .departed, .void: !devices.isEmpty
        }
    }
}

/// A condition of the exchange that stays until it ends or a person ends it.
package struct CircleAlarm: Sendable, Hashable {
    package enum Kind: Int64, Sendable, CaseIterable {
        /// This device was restored from an old copy, or runs twice.
        case identityDuplicated = 1
        /// The same of another device.
        case deviceDuplicated = 2
        /// A device says that it has something else under the number that another one has, too.
        case contradicted = 3
        case storeRolledBack = 4
        case objectsWithheld = 5
        case malformedRecords = 6
        case diverged = 7
        /// A device says that it has changes of this one that this one does not know.
        case ownChangesUnknown = 8
        /// This device has as much in the store as the circle allows: new contents wait here.
        case storeLimitReached = 9
    }

    package let kind: Kind
    /// The device that the alarm is about.
    package let device: [UInt8]?

    package init(_ kind: Kind, _ device: [UInt8]?) {
        self.kind = kind
        self.device = device
    }
}

/// A device of a circle, or one that was.
package struct CircleDevice: Sendable, Hashable {
    package static let identifierByteCount = 16
    package static let nameByteLimit = 255
    package static let limit = 1_000

    package let identifier: [UInt8]
    package let isSelf: Bool
    package let isMember: Bool
    /// Nil before a head of the device was read.
    package let deviceName: String?
    package let system: String?
    package let admitted: WallTime?
    /// The device that admitted it. Nil for the founder, and if ``isRecovered``.
    package let admittedBy: [UInt8]?
    /// Admitted with the recovery code.
    package let isRecovered: Bool
    /// The date on which the device left or was removed, by the clock of the device that wrote so. Nil for a member.
    package let departed: WallTime?
    /// The device that removed it; the device itself if it left. Nil for a member, and for one that was removed with the recovery code.
    package let departedBy: [UInt8]?
    /// The date of the newest head of the device, by its own clock.
    package let lastHead: WallTime?
    /// Changes of this device that it has not said to have. Zero for one that has departed.
    package let lacks: Int64
    /// Changes of its own that are not here.
    package let missing: Int64

    package init(
        identifier: [UInt8], isSelf: Bool, isMember: Bool, deviceName: String?, system: String?, admitted: WallTime?,
        admittedBy: [UInt8]?, isRecovered: Bool, departed: WallTime? = nil, departedBy: [UInt8]? = nil,
        lastHead: WallTime?, lacks: Int64, missing: Int64
    ) {
        self.identifier = identifier
        self.isSelf = isSelf
        self.isMember = isMember
        self.deviceName = deviceName
        self.system = system
        self.admitted = admitted
        self.admittedBy = admittedBy
        self.isRecovered = isRecovered
        self.departed = departed
        self.departedBy = departedBy
        self.lastHead = lastHead
        self.lacks = lacks
        self.missing = missing
    }
}
