package import LatchkeyEnclaveCore
package import LatchkeyPropertyListDER

/// Why bytes are no message between a program and the keychain.
package enum MessageCodingFailure: Error, Sendable, Equatable {
    case notDER(DERFailure)
    /// The body is no list that begins with the number of a message, or is one of another kind.
    case unexpectedMessage(found: Int64?)
    case fieldMissing(String)
    case badField(String)
    case fieldsLeft(Int)
    case tooMany(field: String, found: Int, limit: Int)
    /// A value names a secret that did not come along.
    case secretMissing(index: Int, count: Int)
    case badEnclaveMessage(EnclaveMessageFailure)
}
