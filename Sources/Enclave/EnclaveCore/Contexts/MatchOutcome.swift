package import LatchkeyAccessControl

/// The end of a wait for a finger.
package enum MatchOutcome: Sendable, Hashable {
    case matched(Finger?)
    /// `missesLeft` 0: biometry is locked out from now on.
    case notMatched(missesLeft: Int)
    case unclear(UnclearTouch)
    case cancelled
    case timedOut
    case refused(VerdictRule)
}
