/// Why bytes are no message that these credentials open.
package enum MessageFailure: Error, Sendable, Equatable {
    /// Another password or key, or altered bytes: the two cannot be told apart.
    case notAuthentic
    /// The first byte is of no version that is read: 1, 2 and 3 are.
    case unknownHeader
    /// The second byte says neither "password" nor "keys".
    case unknownOptions(found: UInt8)
    /// Fewer bytes than the shortest message has.
    case tooShort
    /// A message of a password was given keys, or the other way round.
    case otherCredentials
    case emptyPassword
    /// Both keys have 32 bytes.
    case badKeyLength(found: Int)
    /// Authentic, but not what an encryptor writes: no whole blocks, or padding of another form.
    case badPadding
}
