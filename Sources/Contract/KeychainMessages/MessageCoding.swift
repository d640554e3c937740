import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The messages between a program and the keychain as bytes (`Docs/Formats/socket.md`).
///
/// A body is a list in DER: the number of the message, then its fields in fixed order. Secrets are not in it; they
/// travel beside it and `.secret(index)` stands in their places.
package enum MessageCoding {
    package static let pairsPerDictionary = 1024

    /// The first field of every body.
    package enum Kind: Int64, Sendable {
        case itemRequest = 1
        case itemReply = 2
        case deviceRequest = 3
        case deviceReply = 4
        case authenticationRequest = 5
        case authenticationReply = 6
        case agentRequest = 7
        case agentReply = 8
        case keyRequest = 9
        case keyReply = 10
        case eventRequest = 11
        case eventReply = 12
        case fileKeyRequest = 13
        case fileKeyReply = 14
        case itemChangeRequest = 15
        case itemChangeReply = 16
        case itemPartsRequest = 17
        case itemPartReply = 18
        case nextPartRequest = 19
    }

    static func message(_ kind: Kind, _ fields: [PropertyValue], secrets: [SecretBox] = []) -> WireMessage {
        WireMessage(body: DERWriter.encode(.array([.integer(kind.rawValue)] + fields)), secrets: secrets)
    }

    static func fields(of body: [UInt8], secrets: [SecretBox]) throws(MessageCodingFailure) -> (Kind, MessageFields) {
        let value: PropertyValue
        do throws(DERFailure) {
            value = try DERReader.decode(body, limits: limits(of: body))
        } catch {
            throw .notDER(error)
        }
        guard case .array(let values) = value, case .integer(let number)? = values.first,
            let kind = Kind(rawValue: number)
        else {
            if case .array(let values) = value, case .integer(let number)? = values.first {
                throw .unexpectedMessage(found: number)
            }
            throw .unexpectedMessage(found: nil)
        }
        return (kind, MessageFields(values[1...], secrets: secrets))
    }

    /// No more values than a request has room for, or, in a longer answer, than its bytes allow: an attribute is two
    /// values of eight bytes or more.
    private static func limits(of body: [UInt8]) -> DERReader.Limits {
        let usual = DERReader.Limits()
        return DERReader.Limits(depth: usual.depth, values: max(usual.values, body.count / 4))
    }

    static func fields(
        of body: [UInt8], secrets: [SecretBox], expected: Kind
    ) throws(MessageCodingFailure) -> MessageFields {
        let (kind, fields) = try fields(of: body, secrets: secrets)
        guard kind == expected else { throw .unexpectedMessage(found: kind.rawValue) }
        return fields
    }
}
