import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeySyncService
import LatchkeySyncStore
import Synchronization

/// One device of a laboratory: a virtual device and the sync that a daemon would run beside it.
final class LaboratoryMember: @unchecked Sendable {
    // Sendable because the engine is used under the lock alone.
    let name: String
    let device: VirtualDevice
    let stores: any CircleStores
    let clock: VirtualClock
    private let lock = Mutex(())
    private var parts: SyncParts
    private var engine: SyncEngine?
    private var exchange = SyncLaboratory.Exchange.running
    /// The enclave's key epoch of which the engine knows.
    private var keyEpoch: UInt64?
    private var formerRemoteChanges: UInt64 = 0

    /// Takes a device with the circle that is in its files.
    init(
        _ name: String, _ device: VirtualDevice, _ stores: any CircleStores, _ clock: VirtualClock
    ) throws(VirtualDeviceError) {
        self.name = name
        self.device = device
        self.stores = stores
        self.clock = clock
        guard let parts = device.stage.syncParts(named: name, stores) else {
            throw .notRunning("SyncLaboratory")
        }
        self.parts = parts
        try reporting("SyncLaboratory") { try lock.withLock { _ in engine = try SyncEngine(parts) } }
    }

    /// The engine of the device as it runs now: opened anew after the device was switched off and on. Nil while it is off, and before it
    /// is in the circle.
    func withEngine<R>(_ body: (inout SyncEngine?, SyncParts) throws -> R) throws -> R {
        try lock.withLock { _ in
            guard let now = device.stage.syncParts(named: name, stores) else {
                var none: SyncEngine?
                return try body(&none, parts)
            }
            if ObjectIdentifier(now.enclave as AnyObject) != ObjectIdentifier(parts.enclave as AnyObject) {
                forgetEngine()
                engine = exchange == .paused ? nil : try SyncEngine(now)
                parts = now
            }
            return try body(&engine, parts)
        }
    }

    private func forgetEngine() {
        formerRemoteChanges += engine?.remoteChanges ?? 0
        (engine, keyEpoch) = (nil, nil)
    }

    /// True while the device is on and its exchange does anything.
    var isExchanging: Bool { device.isRunning && lock.withLock { _ in exchange == .running } }

    /// Lets the exchange go on, be busy or pause. Without an engine the keychain does not have the keys of the circle.
    func set(_ exchange: SyncLaboratory.Exchange) throws(VirtualDeviceError) {
        try reporting("setExchange") {
            try lock.withLock { _ in
                self.exchange = exchange
                if exchange == .paused {
                    forgetEngine()
                    parts.items.lend(nil, since: 0)
                } else if engine == nil {
                    engine = try SyncEngine(parts)
                }
            }
        }
    }

    // MARK: Knowledge

    /// As the device last knew it, which may be off now.
    var identifier: DeviceIdentifier? { lock.withLock { _ in engine?.device } }
    var knownMembers: Set<DeviceIdentifier> { lock.withLock { _ in engine?.membership.members ?? [] } }
    /// The number of rows that other devices have changed here.
    var remoteChanges: UInt64 { lock.withLock { _ in formerRemoteChanges + (engine?.remoteChanges ?? 0) } }
    var alarms: Set<SyncAlarm> { lock.withLock { _ in engine?.alarms ?? [] } }

    /// True for a member that has everything, and has passed on all that is its own.
    var isSettled: Bool { lock.withLock { _ in engine.map { $0.isSettled } ?? true } }

    /// True for a device that has changes which the store is not known to have, and for one that has not got the items yet.
    var hasChanges: Bool {
        lock.withLock { _ in engine.map { $0.isTakingPart && ($0.waitingChanges > 0 || $0.isJoining) } ?? false }
    }

    /// True if the changes of a device do not get to the store, because calls get no answer.
    var isStuck: Bool {
        guard device.isRunning, hasChanges else { return false }
        return lock.withLock { _ in if case .unreachable? = engine?.storeFailure { true } else { false } }
    }

    /// The time after which the device has something to do by itself. Nil if it has not, or is off.
    var timeUntilWake: Duration? {
        lock.withLock { _ in
            guard device.isRunning, let wake = engine?.wakesAt else { return nil }
            let uptime = parts.uptime
            // A microsecond more: the clock counts in fractions of a second.
            return wake > uptime ? .microseconds(Int64(clamping: wake - uptime) + 1) : .zero
        }
    }

    // MARK: Working

    /// The result of one look at the device and the store.
    struct Work {
        var isProgress = false
        var remoteChanges = 0
        /// The alarms that were raised, of which some may have ended again.
        var raised: Set<SyncAlarm> = []
        var failure: StoreFailure?
    }

    /// Does what the daemon of the device would do now: takes the lock state and the changes of programs, and exchanges.
    func work() throws(VirtualDeviceError) -> Work {
        try reporting("settle") {
            try withEngine { engine, parts in
                guard let engine else { return Work() }
                // An engine that was made since the last look has read the store.
                let before = (keyEpoch == nil ? 0 : engine.progress, engine.remoteChanges)
                let epoch = parts.enclave.keyEpoch
                if keyEpoch != epoch {
                    keyEpoch = epoch
                    engine.lockStateChanged()
                }
                if let time = engine.wakesAt, time <= parts.uptime { engine.wake() }
                engine.isTakingPart ? engine.exchange() : engine.exchangeStatementsAlone()
                return Work(
                    isProgress: engine.progress != before.0,
                    remoteChanges: Int(clamping: engine.remoteChanges - min(before.1, engine.remoteChanges)),
                    raised: engine.takeRaisedAlarms(), failure: engine.storeFailure)
            }
        }
    }

    // MARK: Versions that lost

    func conflicts() throws(VirtualDeviceError) -> [SyncConflict] {
        try reporting("conflicts") {
            try withEngine { engine, parts in
                guard engine != nil else { return [] }
                return try parts.items.conflicts.list().map { SyncConflict($0, on: device) }
            }
        }
    }

    func restore(_ conflict: SyncConflict) throws(VirtualDeviceError) {
        try reporting("restore") {
            try withEngine { engine, parts in
                guard engine != nil else { throw SyncFailure.notInCircle }
                try parts.items.conflicts.restore(conflict.number)
            }
        }
    }

    func reporting<R>(_ call: String, _ body: () throws -> R) throws(VirtualDeviceError) -> R {
        do {
            return try body()
        } catch let error as VirtualDeviceError {
            throw error
        } catch {
            throw VirtualDeviceError(
                .syncFailed, call, reason: "The device \(name) did not do it: \(error).",
                advice: "It has to be switched on, unlocked, with its passcode, and in the circle.", of: device)
        }
    }
}

extension LaboratoryMember: SharedVersions {
    func version(ofItem reference: [UInt8]) -> ItemVersion? {
        lock.withLock { _ in parts.version(ofItem: reference) }
    }
}
