package import LatchkeyPropertyListDER

/// A reason for which bytes are not a message between the daemon and the transport.
package enum TransportMessageFailure: Error, Equatable, Sendable {
    case notDER(DERFailure)
    case notList
    case unknownVersion(Int64)
    case unknownNumber(Int64)
    case fieldMissing
    case fieldsLeft(Int)
    case wrongType
    case badValue
    case tooMany(found: Int, limit: Int)
}
