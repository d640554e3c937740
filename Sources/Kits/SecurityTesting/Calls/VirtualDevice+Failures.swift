public import LocalAuthentication
public import Security

extension VirtualDevice {
    /// A call of an `LAContext` that prompts the user.
    public enum Evaluation: Sendable, Hashable, CaseIterable {
        /// `evaluatePolicy(_:localizedReason:)`
        case policy
        /// `evaluateAccessControl(_:operation:localizedReason:)`
        case accessControl

        var call: KeychainCall {
            switch self {
            case .policy: .evaluatePolicy
            case .accessControl: .evaluateAccessControl
            }
        }
    }

    /// Makes the next calls of a kind fail with a status, whichever app makes them: `errSecMissingEntitlement`,
    /// `errSecInteractionNotAllowed`, or any other. The device does not see those calls.
    ///
    /// An `LAContext` has codes of its own: ``failNextEvaluation(of:with:times:)``. Here they would be given by number.
    public func failNext(_ call: KeychainCall, with status: OSStatus, times: Int = 1) {
        calls.plan(Int(status), for: call, times: times)
    }

    /// Makes the next evaluations of an `LAContext` fail with a code. The device does not see them, and shows no
    /// prompt.
    ///
    /// - Parameter evaluation: the call that fails; nil: the next of either kind.
    public func failNextEvaluation(of evaluation: Evaluation? = nil, with code: LAError.Code, times: Int = 1) {
        if let evaluation {
            calls.plan(code.rawValue, for: evaluation.call, times: times)
        } else {
            calls.planEvaluation(code.rawValue, times: times)
        }
    }
}
