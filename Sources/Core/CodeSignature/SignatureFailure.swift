package import LatchkeyEncoding

/// A reason for not accepting a program's signature, or for not making one. None of these ever gives more access.
package enum SignatureFailure: Error, Sendable, Hashable {
    // The signature
    case malformed(String)
    case wrongDigest
    case invalid
    case twoSignatures
    case teamMismatch(expected: TeamIdentifier, found: String)
    case tooNew(needs: Int)
    case malformedEntitlements(String)
    case foreignApplication(entitlement: String, application: String)
    case foreignGroup(String)

    // The program
    case interpreter(name: String)
    case script
    case unreadable(String)
    case malformedProgram(String)

    // The team and the device
    case teamNotTrusted(TeamIdentifier)
    case teamOtherKey(TeamIdentifier)
    case teamRevoked(TeamIdentifier)
    /// Trusted until that date (seconds since 2001-01-01 00:00:00 UTC).
    case teamExpired(TeamIdentifier, date: WallTime)
    /// The device's owner has not given the alias to the team.
    case aliasNotPinned(TeamAlias, of: TeamIdentifier)
    /// The alias is another team's on this device.
    case aliasTaken(TeamAlias, by: TeamIdentifier)
    case levelTooLow(found: AssuranceLevel, needed: AssuranceLevel)

    // Signing
    case noPlace
    case tooLarge(byteCount: Int)
    case unwritable(String)
    case keyUnreadable
    case keyNeedsPassphrase
    case keyPassphraseRefused
    case keyOfOtherKind
}
