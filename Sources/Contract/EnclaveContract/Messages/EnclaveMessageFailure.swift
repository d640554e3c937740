/// The reason why bytes are not a valid message of the enclave's mailbox.
package enum EnclaveMessageFailure: Error, Sendable, Equatable {
    case truncated
    case trailingBytes(Int)
    case unknownVersion(UInt8)
    case unknownKind(UInt8)
    /// A field with a fixed set of values has another value.
    case badValue(field: String, found: UInt64)
    case tooLarge(field: String, found: Int, limit: Int)
    case textNotUTF8(field: String)
    /// The bytes of an access control cannot be parsed.
    case badAccessControl
    case secretMissing
    /// There are more secrets than the message names.
    case secretsLeft(Int)
    case badSecretLength(found: Int)
}
