/// Why bytes are no message of the enclave's mailbox.
package enum EnclaveMessageFailure: Error, Sendable, Equatable {
    case truncated
    case trailingBytes(Int)
    case unknownVersion(UInt8)
    case unknownKind(UInt8)
    /// A field that holds one of few values holds another.
    case badValue(field: String, found: UInt64)
    case tooLarge(field: String, found: Int, limit: Int)
    case textNotUTF8(field: String)
    /// Bytes where an access control belongs that are not the form of any.
    case badAccessControl
    case secretMissing
    /// More secrets came than the message names.
    case secretsLeft(Int)
    case badSecretLength(found: Int)
}
