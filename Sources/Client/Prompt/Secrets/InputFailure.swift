/// A reason for which a secret could not be read.
package enum InputFailure: Error, Sendable, Equatable {
    case cannotRead(errno: Int32)
    case tooLong(limit: Int)
    /// The input ended before a line began.
    case ended
    case interrupted
    case notHexadecimal
    /// The two entries of a new passcode differ.
    case entriesDiffer
}
