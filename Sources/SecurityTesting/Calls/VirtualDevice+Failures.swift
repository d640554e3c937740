extension VirtualDevice {
    /// Makes the next calls of a kind fail with a status, whichever app makes them: -34018, -25308, or any other. The
    /// device does not see those calls.
    public func failNext(_ call: KeychainCall, with status: Int32, times: Int = 1) {
        calls.plan(status, for: call, times: times)
    }
}
