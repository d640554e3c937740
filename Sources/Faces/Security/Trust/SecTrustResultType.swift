/// What became of an evaluation.
public enum SecTrustResultType: UInt32, Sendable {
    /// Not evaluated since something was set.
    case invalid = 0
    /// Believed because somebody said so: exceptions were set.
    case proceed = 1
    @available(*, deprecated)
    case confirm = 2
    case deny = 3
    /// Believed: the chain reaches an anchor, and nobody said anything else.
    case unspecified = 4
    /// Not believed; exceptions can change that.
    case recoverableTrustFailure = 5
    /// Not believed, whatever anybody says.
    case fatalTrustFailure = 6
    case otherError = 7
}
