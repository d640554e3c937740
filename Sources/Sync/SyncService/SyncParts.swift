package import LatchkeyCryptoSuite
package import LatchkeyEnclaveContract
package import LatchkeyEncoding
internal import LatchkeyKeybag
package import LatchkeyKeychainService
package import LatchkeySyncCore
package import LatchkeySyncKeys
package import LatchkeySyncStore

/// The parts of a device that item sync works with.
package struct SyncParts: Sendable {
    package let items: SharedItems
    package let enclave: any EnclaveMailbox
    package let stores: any CircleStores
    package let clock: any LatchkeyEncoding.DeviceClock
    package let entropy: any Entropy
    /// Name and system of this device, for the people who have the others.
    package let description: DeviceDescription
    package let limits: ReplicaLimits
    /// True while a caller waits for the circle: work of which there is much is left for later then.
    package let isAwaited: @Sendable () -> Bool

    package init(
        items: SharedItems, enclave: any EnclaveMailbox, stores: any CircleStores,
        clock: any LatchkeyEncoding.DeviceClock, entropy: any Entropy, description: DeviceDescription,
        limits: ReplicaLimits = .quickStore, isAwaited: @escaping @Sendable () -> Bool = { false }
    ) {
        self.items = items
        self.enclave = enclave
        self.stores = stores
        self.clock = clock
        self.entropy = entropy
        self.description = description
        self.limits = limits
        self.isAwaited = isAwaited
    }

    var now: Moment { Moment(of: clock) }

    /// The lock state as far as it decides which keys are at hand. Without an enclave nothing opens.
    var lockState: SyncLockState {
        guard let status = try? enclave.ask(AskStatus()) else { return .beforeFirstUnlock }
        return switch status.lockState {
        case .noPasscode: .noPasscode
        case .beforeFirstUnlock: .beforeFirstUnlock
        case .locked: .locked
        case .unlocked: .unlocked
        }
    }
}

/// The reason why a circle was not founded, entered or changed.
package enum SyncFailure: Error, Sendable {
    case alreadyInCircle
    case notInCircle
    /// The device is in the statements of the circle not admitted, or not any more.
    case notAdmitted
    /// The device has to be unlocked.
    case locked
    case refusedStatement(StatementRefusal)
    /// The author has written as many statements as it may.
    case tooManyStatements
}

extension Moment {
    /// The present by the clock of a device.
    init(of clock: any LatchkeyEncoding.DeviceClock) {
        self.init(
            uptime: UInt64(clamping: WallTime(secondsSince2001: clock.uptime().seconds).microsecondsSince2001),
            wallClock: UInt64(clamping: clock.wallTime().microsecondsSince2001))
    }
}

extension SyncParts {
    /// Microseconds that the device has been up.
    package var uptime: UInt64 { now.uptime }
}
