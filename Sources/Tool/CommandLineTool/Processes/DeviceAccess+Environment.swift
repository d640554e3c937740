import LatchkeyItemModel

/// What a command can do with the device as it is reached: behind a daemon, in this process, or on a medium that takes no
/// changes.
extension DeviceAccess {
    /// How the device becomes and stays unlocked.
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
