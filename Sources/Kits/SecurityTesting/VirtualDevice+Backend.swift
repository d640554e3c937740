extension VirtualDevice {
    /// The implementation behind a virtual device. Both run the same services.
    public enum Backend: String, Sendable, CaseIterable, CustomStringConvertible {
        /// Objects in the test's own process: fast, with a virtual clock and seeded randomness.
        case embedded
        /// The real daemon and the real enclave process on a temporary directory, with the machine's clock.
        case processes

        public var description: String { rawValue }
    }
}
