/// The answer to a device that asks for versions of now.
package enum MadeVersions: Hashable, Sendable {
    /// The clock parts, each greater than the one before.
    case made([DeviceClock])
    /// The epoch has not as many left, or is older than the stored clock. Another one is needed, which the caller may
    /// only have to learn.
    case needsEpoch
    /// The clock could not be stored. The epoch has versions.
    case failed
}
