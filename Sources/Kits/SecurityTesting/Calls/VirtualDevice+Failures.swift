extension VirtualDevice {
    /// Makes the next calls of a kind fail with a status, whichever app makes them: -34018, -25308, or any other. The
    /// device does not see those calls.
    ///
    /// Evaluations of an `LAContext` fail with an `LAError.Code`.
    public func failNext(_ call: KeychainCall, with status: Int32, times: Int = 1) {
        calls.plan(status, for: call, times: times)
    }

    /// Makes the next evaluations of an `LAContext`, of a policy or of an access control, fail with this
    /// `LAError.Code`, by number. The device does not see them, and nobody is asked.
    public func failNextEvaluation(with code: Int, times: Int = 1) {
        calls.planEvaluation(code, times: times)
    }
}
