/// A reason for which these credentials do not open a message.
package enum MessageFailure: Error, Sendable, Equatable {
    /// Wrong password or key, or altered bytes: the two cannot be told apart.
    case notAuthentic
    /// The first byte is not a supported version: 1, 2 or 3.
    case unknownHeader
    /// The second byte means neither "password" nor "keys".
    case unknownOptions(found: UInt8)
    /// Fewer bytes than the shortest message.
    case tooShort
    /// A message with a password was given keys, or the other way round.
    case otherCredentials
    case emptyPassword
    /// Both keys have 32 bytes.
    case badKeyLength(found: Int)
    /// Authentic, but not written by an encryptor: an incomplete block, or padding of another form.
    case badPadding
}
