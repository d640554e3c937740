import LatchkeySyncCore
import Synchronization

extension SyncLaboratory {
    /// A condition of sync that a device shows until it ends.
    public enum Alarm: Sendable, Hashable {
        /// The device was restored from an old copy, or runs twice. The device itself shows it, and other devices that have the proof also show it.
        case identityDuplicated(VirtualDevice)
        /// Two devices have something else under one number of what the device wrote; one of them lies, or was set back.
        case contradicted(VirtualDevice, by: VirtualDevice)
        /// Another device has changes of the device that the device does not know. It writes nothing until one of them is found.
        case ownChangesUnknown(VirtualDevice, by: VirtualDevice)
        /// The store shows an older state of the device than it showed before.
        case storeRolledBack(VirtualDevice)
        /// The store does not show what the device wrote, although another device has it or the device itself names it.
        case storeWithholds(VirtualDevice)
        /// The device signed an object whose content cannot be parsed.
        case malformedRecords(VirtualDevice)
        /// The device knows the same as another one and has other items. Honest devices never show it.
        case diverged(VirtualDevice)
        /// The device has as much in the store as the circle allows, 256 MiB. New contents wait on it.
        case storeLimitReached(VirtualDevice)
    }

    /// The alarms that the devices show now. Those that ended are in the ``Settlement``.
    public var alarms: Set<Alarm> {
        Set(members.flatMap { alarms($0.alarms, shownBy: $0) })
    }

    /// The alarms that one device shows now.
    public func alarms(shownBy device: VirtualDevice) -> Set<Alarm> {
        let member = member(device)
        return Set(alarms(member.alarms, shownBy: member))
    }

    func alarms(_ alarms: Set<SyncAlarm>, shownBy member: LaboratoryMember) -> [Alarm] {
        let identities = state.withLock { $0.identities }
        let own = member.identifier.flatMap { identities[$0] } ?? member.device
        func device(_ identifier: DeviceIdentifier) -> VirtualDevice { identities[identifier] ?? own }
        return alarms.map { alarm in
            switch alarm {
            case .identityDuplicated: .identityDuplicated(own)
            case .deviceDuplicated(let other): .identityDuplicated(device(other))
            case .contradicted(let stream, let witness): .contradicted(device(stream.device), by: device(witness))
            case .ownSegmentsUnknown(let witness): .ownChangesUnknown(own, by: device(witness))
            case .storeRolledBack(let other): .storeRolledBack(device(other))
            case .withheld(let stream): .storeWithholds(device(stream.device))
            case .statementsWithheld(let other): .storeWithholds(device(other))
            case .malformed(let other): .malformedRecords(device(other))
            case .diverged(let other): .diverged(device(other))
            case .storeLimitReached: .storeLimitReached(own)
            }
        }
    }
}

extension SyncLaboratory.Alarm: CustomStringConvertible {
    public var description: String {
        func name(_ device: VirtualDevice) -> String { device.name ?? device.description }
        return switch self {
        case .identityDuplicated(let device): "identityDuplicated(\(name(device)))"
        case .contradicted(let device, let witness): "contradicted(\(name(device)), by: \(name(witness)))"
        case .ownChangesUnknown(let device, let witness): "ownChangesUnknown(\(name(device)), by: \(name(witness)))"
        case .storeRolledBack(let device): "storeRolledBack(\(name(device)))"
        case .storeWithholds(let device): "storeWithholds(\(name(device)))"
        case .malformedRecords(let device): "malformedRecords(\(name(device)))"
        case .diverged(let device): "diverged(\(name(device)))"
        case .storeLimitReached(let device): "storeLimitReached(\(name(device)))"
        }
    }
}
