internal import LatchkeySyncCore

extension StatementGraph {
    /// Returns true if a device is a member.
    /// - Parameter approver: a member that itself must have signed the admission, and must be one still. Its statement has everything that
    ///   it knew in its past, every removal among that: a store that hides these has to hide the admission as well. Nil if anyone may
    ///   have admitted the device.
    func admits(_ keys: DevicePublicKeys, through approver: DeviceIdentifier?) -> Bool {
        let members = state().members
        guard members.contains(keys.identifier), let approver else { return members.contains(keys.identifier) }
        return members.contains(approver)
            && statements.contains { verified in
                guard case .admit(let admission) = verified.statement.body else { return false }
                return admission.keys == keys && verified.statement.author == .device(approver)
            }
    }
}
