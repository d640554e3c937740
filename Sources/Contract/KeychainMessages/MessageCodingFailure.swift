package import LatchkeyEnclaveContract
package import LatchkeyPropertyListDER

/// The reason why bytes are not a valid message between a program and the keychain.
package enum MessageCodingFailure: Error, Sendable, Equatable {
    case notDER(DERFailure)
    /// The body is not a list that begins with a message number, or the message is of another kind.
    case unexpectedMessage(found: Int64?)
    case fieldMissing(String)
    case badField(String)
    case fieldsLeft(Int)
    case tooMany(field: String, found: Int, limit: Int)
    /// A value refers to a secret that is not in the message.
    case secretMissing(index: Int, count: Int)
    case badEnclaveMessage(EnclaveMessageFailure)
}
