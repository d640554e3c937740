package import LatchkeyAccessControl
package import LatchkeySecretMemory

/// Requests about authentication contexts. A context lives until it is closed or the enclave restarts.
package enum ContextRequest: Sendable {
    case open
    /// Ends a match that the context waits for, and forgets its evidence.
    case close(ContextIdentifier)
    /// For an unlock of the device by finger as a match of this context. At most 300 seconds; 0 at first.
    case allowReuse(seconds: Double, ContextIdentifier)
    case assess(AuthenticationDemand, ContextIdentifier)
    /// Waits for one touch; a match becomes evidence of the context. Only over a connection of its own. One match at a
    /// time: another one waits for its turn, which counts towards its seconds.
    case matchFinger(seconds: Double, ContextIdentifier)
    case cancelMatch(ContextIdentifier)
    /// Counts as a try like any other.
    case offerPasscode(SecretBox, ContextIdentifier)
    /// Nil takes it back. It is right or wrong only when a key is opened with it.
    case setApplicationPassword(SecretBox?, ContextIdentifier)
    /// The access control as an item keeps it: with the present enrolment set where it is for that.
    case bind(accessControl: AccessControl)
}

package enum ContextReply: Sendable, Hashable {
    case done
    case opened(ContextIdentifier)
    /// There is no such context (any more).
    case unknown
    /// As many contexts are open as the enclave keeps.
    case tooMany
    case verdict(Verdict)
    case match(MatchOutcome)
    case bound(AccessControl)
    /// The access control cannot be bound now, or is none.
    case notBound(VerdictRule?)
}
