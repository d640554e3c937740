import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyKeychainService
import LatchkeySyncCore
import LatchkeySyncIdentity
import LatchkeySyncKeys
import LatchkeySyncService
import LatchkeySyncStore
import Synchronization

/// One device of a laboratory: a virtual device and the sync that a daemon would run beside it.
final class LaboratoryMember: @unchecked Sendable {
    // Sendable because the engine is used under the lock alone.
    let name: String
    let device: VirtualDevice
    private let stores: any CircleStores
    private let lock = Mutex(())
    private var parts: SyncParts
    private var engine: SyncEngine?

    init(_ name: String, _ device: VirtualDevice, _ stores: any CircleStores) throws(VirtualDeviceError) {
        self.name = name
        self.device = device
        guard let parts = device.stage.syncParts(named: name, stores) else {
            throw .notRunning("SyncLaboratory")
        }
        self.parts = parts
        self.stores = stores
    }

    /// The engine of the device as it runs now: opened anew after the device was switched off and on. Nil while it is off, and before it
    /// is in the circle.
    private func withEngine<R>(_ body: (inout SyncEngine?) throws -> R) throws -> R {
        try lock.withLock { _ in
            guard let now = device.stage.syncParts(named: name, stores) else {
                var none: SyncEngine?
                return try body(&none)
            }
            if ObjectIdentifier(now.enclave as AnyObject) != ObjectIdentifier(parts.enclave as AnyObject) {
                engine = nil
                engine = try SyncEngine(now)
                parts = now
            }
            return try body(&engine)
        }
    }

    private var presentParts: SyncParts { lock.withLock { _ in parts } }

    /// As the device last knew it, which may be off now.
    var identifier: DeviceIdentifier? { lock.withLock { _ in engine?.device } }
    var knownMembers: Set<DeviceIdentifier> { lock.withLock { _ in engine?.membership.members ?? [] } }
    var progress: UInt64 { lock.withLock { _ in engine?.progress ?? 0 } }

    var alarms: [SyncLaboratoryAlarm] {
        lock.withLock { _ in (engine?.alarms ?? []).map(SyncLaboratoryAlarm.init) }
    }

    // MARK: The circle

    func found(_ entropy: some Entropy) throws(VirtualDeviceError) {
        let recovery = RecoveryKeys(RecoveryCode(generating: entropy))
        try reporting("SyncLaboratory") {
            try withPasscodeProved { context in
                try withEngine { $0 = try SyncEngine.found(parts, recovery: recovery, provedIn: context) }
            }
        }
    }

    func join(by member: LaboratoryMember) throws(VirtualDeviceError) {
        try reporting("SyncLaboratory") {
            let record = try EnclaveIdentity.make(by: presentParts.enclave)
            let statements = try member.admit(record.publicKeys)
            try withEngine {
                $0 = try SyncEngine.enter(parts, as: record, statements.all, founding: statements.founding)
            }
        }
    }

    private func admit(
        _ keys: DevicePublicKeys
    ) throws -> (all: [SignedStatement], founding: ObjectHash) {
        try withPasscodeProved { context in
            try withEngine { engine in
                guard let engine else { throw SyncFailure.notInCircle }
                try engine.admit(keys, provedIn: context)
                return try engine.signedStatements
            }
        }
    }

    func remove(_ other: LaboratoryMember) throws(VirtualDeviceError) {
        guard let identifier = other.identifier else { return }
        try reporting("remove") {
            try withPasscodeProved { context in
                try withEngine { engine in
                    guard let engine else { throw SyncFailure.notInCircle }
                    try engine.remove(identifier, provedIn: context)
                }
            }
        }
    }

    private func withPasscodeProved<R>(_ body: (ContextIdentifier) throws -> R) throws -> R {
        let enclave = presentParts.enclave
        guard case .opened(let context) = try enclave.ask(OpenContext()) else { throw SyncFailure.locked }
        defer { _ = try? enclave.ask(CloseContext(context)) }
        guard let passcode = device.knownPasscode,
            case .known = try enclave.ask(OfferPasscode(passcode, to: context))
        else { throw SyncFailure.locked }
        return try body(context)
    }

    // MARK: Exchanging

    func exchange() throws(VirtualDeviceError) {
        try reporting("settle") {
            try withEngine { engine in
                guard let running = engine else { return }
                running.lockStateChanged()
                if let time = running.wakesAt, time <= parts.uptime { running.wake() }
                running.exchange()
            }
        }
    }

    func advance(by duration: Duration) throws(VirtualDeviceError) {
        try device.advance(by: duration)
    }

    // MARK: Versions that lost

    func conflicts() throws(VirtualDeviceError) -> [SyncConflict] {
        try reporting("conflicts") {
            try withEngine { engine in
                guard engine != nil else { return [] }
                return try parts.items.conflicts.list().map { SyncConflict($0, on: name) }
            }
        }
    }

    func restore(_ conflict: SyncConflict) throws(VirtualDeviceError) {
        try reporting("restore") {
            try withEngine { engine in
                guard engine != nil else { throw SyncFailure.notInCircle }
                try parts.items.conflicts.restore(conflict.number)
            }
        }
    }

    private func reporting<R>(_ call: String, _ body: () throws -> R) throws(VirtualDeviceError) -> R {
        do {
            return try body()
        } catch {
            throw VirtualDeviceError(
                .syncFailed, call, reason: "The device \(name) did not do it: \(error).",
                advice: "It has to be unlocked, with its passcode, and in the circle.", of: device)
        }
    }
}

extension SyncLaboratoryAlarm {
    fileprivate init(_ alarm: SyncAlarm) {
        self =
            switch alarm {
            case .identityDuplicated: .identityDuplicated
            case .deviceDuplicated: .deviceDuplicated
            case .contradicted: .contradicted
            case .ownSegmentsUnknown: .ownChangesUnknown
            case .storeRolledBack: .storeRolledBack
            case .withheld: .objectsWithheld
            case .malformed: .malformedRecords
            case .diverged: .diverged
            }
    }
}
