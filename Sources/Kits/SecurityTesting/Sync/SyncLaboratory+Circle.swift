import LatchkeySyncCore
import LatchkeySyncKeys
import Synchronization

extension SyncLaboratory {
    /// Makes a device that joins the circle now. It gets the items with the next ``settle()``.
    ///
    /// - Parameter member: the device that admits it, unlocked; nil: the first member that is.
    @discardableResult
    public func join(_ name: String, by member: VirtualDevice? = nil) throws(VirtualDeviceError) -> VirtualDevice {
        let device = try makeDevice(name)
        try join(device, by: member)
        return device
    }

    /// Takes a device into the circle that is not in it: one of ``makeDevice(_:)``, or one that has left.
    ///
    /// - Parameter admitting: the device that admits it, unlocked; nil: the first member that is.
    public func join(_ device: VirtualDevice, by admitting: VirtualDevice? = nil) throws(VirtualDeviceError) {
        let member = if let admitting { member(admitting) } else { try firstUnlockedMember(for: device) }
        try self.member(device).join(by: member)
        noteIdentities()
        log.note("joins, admitted by \(member.name)", of: name(of: device))
    }

    private func firstUnlockedMember(for device: VirtualDevice) throws(VirtualDeviceError) -> LaboratoryMember {
        for member in members where member.device != device && member.device.isRunning {
            guard let identifier = member.identifier, member.knownMembers.contains(identifier) else { continue }
            if try member.device.status.lockState == .unlocked { return member }
        }
        throw VirtualDeviceError(
            .syncFailed, "join", reason: "No member is unlocked.", advice: "Call unlock(_:) for one of them.",
            of: device)
    }

    /// Takes a device into the circle with the recovery code, as if no other device were left.
    public func recover(_ device: VirtualDevice) throws(VirtualDeviceError) {
        let code = state.withLock { $0.recovery }
        try member(device).recover(with: code)
        noteIdentities()
        log.note("joins with the recovery code", of: name(of: device))
    }

    /// Gives a device that was restored or cloned a new identity, and removes the old one from the circle. Items that were deleted
    /// meanwhile do not come back.
    ///
    /// - Parameter admitting: the device that approves it, unlocked; nil: the first member that is.
    public func repair(_ device: VirtualDevice, by admitting: VirtualDevice? = nil) throws(VirtualDeviceError) {
        let member = if let admitting { member(admitting) } else { try firstUnlockedMember(for: device) }
        let old = try self.member(device).repair(by: member)
        noteIdentities()
        try remove(old, by: member)
        log.note("has a new identity, approved by \(member.name)", of: name(of: device))
    }

    /// Removes a device from the circle: the others go on under new keys. The items stay on the device.
    ///
    /// - Parameter remover: another device, unlocked.
    public func remove(_ device: VirtualDevice, by remover: VirtualDevice) throws(VirtualDeviceError) {
        guard let identifier = member(device).identifier else { return }
        try remove(identifier, by: member(remover))
        log.note("removes \(name(of: device))", of: name(of: remover))
    }

    private func remove(_ identifier: DeviceIdentifier, by remover: LaboratoryMember) throws(VirtualDeviceError) {
        let code = try remover.remove(identifier) { RecoveryCode(generating: state.withLock { $0.entropy }) }
        if let code { state.withLock { $0.recovery = code } }
    }

    /// Takes a device out of the circle by its own decision. The device, which has to be unlocked, forgets the circle; the items stay.
    public func leave(_ device: VirtualDevice) throws(VirtualDeviceError) {
        try member(device).leave()
        log.note("leaves the circle", of: name(of: device))
    }

    /// The devices that a device takes for members.
    public func members(accordingTo device: VirtualDevice) -> Set<VirtualDevice> {
        let known = member(device).knownMembers
        return state.withLock { state in Set(known.compactMap { state.identities[$0] }) }
    }
}
