import LatchkeyItemModel

/// Abilities of a command that depend on the device's environment: a daemon, this process, or a read-only medium.
extension DeviceAccess {
    /// Advice to unlock the device and keep it unlocked.
    var unlockAdvice: String {
        if keychain is ReadOnlyDevice { return ReadOnlyDevice.unlockAdvice }
        let unlock = "`latchkey unlock\(option)`"
        return socketPath == nil
            ? "`latchkey start\(option)`, then \(unlock): without a daemon no device stays unlocked." : unlock + "."
    }

    /// Refuses a device that takes no changes.
    func requireChanges() throws(CommandFailure) {
        if keychain is ReadOnlyDevice { throw CommandFailure(.readOnly, ReadOnlyDevice.refusal) }
    }
}
