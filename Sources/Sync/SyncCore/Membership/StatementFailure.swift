package import LatchkeyPropertyListDER

/// A reason for which bytes or values are not a statement. Fields are named as in the encoding.
package enum StatementFailure: Error, Equatable, Sendable {
    case object(ObjectFailure)
    case notStatement(ObjectKind)
    case encoding(DERFailure)
    /// The bytes are not those that the encoder writes for the same values.
    case notCanonical
    case missingField(String)
    case unknownField(String)
    case wrongType(field: String)
    case badValue(field: String)
    case tooMany(field: String, found: Int, limit: Int)
    case notSorted(field: String)
    case unknownBody(Int64)
    /// The holder of recovery keys can only admit and remove.
    case authorNotAllowed
    /// A founding statement names no circle and has no parents; every other statement does.
    case misplacedFounding
    case badSignatureLength(expected: Int, found: Int)
    /// The keys given for verification do not belong to the author.
    case otherKeys
    case badSignature
    /// The object belongs to another circle.
    case otherCircle
    /// Two objects that an honest device can have written both are not evidence.
    case notContradictory
}
