/// The domain of ``LAError``.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// A reason for the failure of an authentication.
///
/// `localizedDescription` says what happened, for developers, and the recovery suggestion what to do. Texts are
/// not part of the interface; the code is.
public struct LAError: _BridgedStoredNSError {
    public enum Code: Int, Sendable, _ErrorCodeProtocol {
        public typealias _ErrorType = LAError

        /// The person did not authenticate, or gave up trying.
        case authenticationFailed = -1
        /// The person cancelled the prompt.
        case userCancel = -2
        /// The person chose the fallback, which the policy does not have.
        case userFallback = -3
        /// The system could not continue, or no device can be reached.
        case systemCancel = -4
        case passcodeNotSet = -5
        case biometryNotAvailable = -6
        case biometryNotEnrolled = -7
        /// The passcode has to be given first.
        case biometryLockout = -8
        /// The program invalidated the context meanwhile.
        case appCancel = -9
        /// The context was invalidated before.
        case invalidContext = -10
        case companionNotAvailable = -11
        case biometryNotPaired = -12
        case biometryDisconnected = -13
        case invalidDimensions = -14
        /// The evaluation needs a prompt, which is not allowed or not possible.
        case notInteractive = -1004

        @available(*, deprecated, renamed: "biometryNotAvailable")
        public static let touchIDNotAvailable = Self.biometryNotAvailable
        @available(*, deprecated, renamed: "biometryNotEnrolled")
        public static let touchIDNotEnrolled = Self.biometryNotEnrolled
        @available(*, deprecated, renamed: "biometryLockout")
        public static let touchIDLockout = Self.biometryLockout
        @available(*, deprecated, renamed: "companionNotAvailable")
        public static let watchNotAvailable = Self.companionNotAvailable
    }

    public let _nsError: NSError

    public init(_nsError error: NSError) {
        _nsError = error
    }

    public static var _nsErrorDomain: String { LAErrorDomain }
    public static var errorDomain: String { LAErrorDomain }

    public static var authenticationFailed: Code { .authenticationFailed }
    public static var userCancel: Code { .userCancel }
    public static var userFallback: Code { .userFallback }
    public static var systemCancel: Code { .systemCancel }
    public static var passcodeNotSet: Code { .passcodeNotSet }
    public static var biometryNotAvailable: Code { .biometryNotAvailable }
    public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
    public static var biometryLockout: Code { .biometryLockout }
    public static var appCancel: Code { .appCancel }
    public static var invalidContext: Code { .invalidContext }
    public static var companionNotAvailable: Code { .companionNotAvailable }
    public static var biometryNotPaired: Code { .biometryNotPaired }
    public static var biometryDisconnected: Code { .biometryDisconnected }
    public static var invalidDimensions: Code { .invalidDimensions }
    public static var notInteractive: Code { .notInteractive }

    @available(*, deprecated, renamed: "biometryNotAvailable")
    public static var touchIDNotAvailable: Code { .biometryNotAvailable }
    @available(*, deprecated, renamed: "biometryNotEnrolled")
    public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
    @available(*, deprecated, renamed: "biometryLockout")
    public static var touchIDLockout: Code { .biometryLockout }
    @available(*, deprecated, renamed: "companionNotAvailable")
    public static var watchNotAvailable: Code { .companionNotAvailable }
}

/// Makes `error as? LAError` and `catch LAError.userCancel` also work with an `NSError` of the domain, unlike for other
/// errors on Linux: `canEvaluatePolicy(_:error:)` gives an `NSError`.
extension LAError: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        _ = _conditionallyBridgeFromObjectiveC(source, result: &result)
    }

    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        result = LAError(checking: source)
        return result != nil
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        source.flatMap(LAError.init(checking:)) ?? LAError(.authenticationFailed)
    }

    /// Nil for an error of another domain, and for a code that this module does not have.
    private init?(checking error: NSError) {
        guard error.domain == LAErrorDomain, Code(rawValue: error.code) != nil else { return nil }
        self.init(_nsError: error)
    }
}
