/// Why the enclave did not do what was asked of the device.
package enum EnclaveRefusal: Error, Sendable, Equatable {
    case wrongPasscode(attemptsLeft: Int)
    /// The same wrong passcode as before; it was not counted again.
    case sameWrongPasscode
    case delayed(seconds: Double)
    /// Ten failures: only erasing helps.
    case disabled
    /// The tenth failure erased the device, as its option says.
    case erased
    case passcodeNeeded
    case passcodeAlreadySet
    case noPasscodeSet
    case badPasscode(reason: String)
    /// The state on disk cannot be written or read; `reason` says which file and why.
    case storage(reason: String)
    case malformed(reason: String)
}
