/// The result of an evaluation.
public enum SecTrustResultType: UInt32, Sendable {
    /// Not evaluated since something was set.
    case invalid = 0
    /// Trusted because exceptions were set.
    case proceed = 1
    @available(*, deprecated)
    case confirm = 2
    case deny = 3
    /// Trusted: the chain reaches an anchor, and no exceptions were needed.
    case unspecified = 4
    /// Not trusted; exceptions can change that.
    case recoverableTrustFailure = 5
    /// Not trusted; exceptions cannot change that.
    case fatalTrustFailure = 6
    case otherError = 7
}
