/// A reason for rejecting bytes as a property list in DER.
package enum DERFailure: Error, Sendable, Equatable {
    case truncated
    case trailingBytes
    case lengthNotMinimal
    case tooDeep(limit: Int)
    case tooManyValues(limit: Int)
    case unknownTag(UInt8)
    case badBoolean
    case integerNotMinimal
    case integerOutOfRange
    case textNotUTF8
    case badDate
    case keyNotText
    /// A key that the reader of a dictionary does not know.
    case unknownKey
    case duplicateKey
    case keysNotSorted
    case badReference
}
