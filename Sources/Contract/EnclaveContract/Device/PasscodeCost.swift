/// The cost of one try of a passcode.
package enum PasscodeCost: Sendable, Equatable {
    /// Measured when the passcode is set: one try takes at least 80 ms of this machine's processor.
    case calibrated
    /// For tests and throwaway devices: scrypt with N = 2^`log2Cost`.
    case fixed(log2Cost: Int)
}
