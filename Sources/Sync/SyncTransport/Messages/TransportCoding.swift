internal import LatchkeyPropertyListDER
package import LatchkeySyncStore

/// The messages between the daemon and the transport as bytes (`Docs/Formats/sync.md`, "Transport"): a list in DER of the version, the
/// number of the message, and its fields in fixed order.
package enum TransportCoding {
    static let version: Int64 = 1
    /// The number of the answer that a call failed. Those of other answers are those of their questions.
    static let failure: Int64 = 0

    private static let limits = DERReader.Limits(depth: 4, values: 4 * StoreLimits.listedNames)

    package static func encode(_ question: some TransportQuestion) -> [UInt8] {
        encode(type(of: question).number, question.fields)
    }

    package static func encode(_ answer: some TransportAnswer, to question: any TransportQuestion) -> [UInt8] {
        encode(type(of: question).number, answer.fields)
    }

    package static func encode(_ failure: StoreFailure) -> [UInt8] {
        encode(Self.failure, failure.fields)
    }

    package static func decodeQuestion(_ body: [UInt8]) throws(TransportMessageFailure) -> any TransportQuestion {
        var (number, fields) = try message(body)
        guard let type = TransportQuestions.all.first(where: { $0.number == number }) else {
            throw .unknownNumber(number)
        }
        let question = try type.init(&fields)
        try fields.finish()
        return question
    }

    /// Decodes the answer to a question, or the failure that came in its place.
    package static func decodeAnswer<Question: TransportQuestion>(
        to question: Question, _ body: [UInt8]
    ) throws(TransportMessageFailure) -> Result<Question.Answer, StoreFailure> {
        var (number, fields) = try message(body)
        let result: Result<Question.Answer, StoreFailure>
        switch number {
        case failure: result = .failure(try StoreFailure(&fields))
        case Question.number: result = .success(try Question.Answer(&fields))
        default: throw .unknownNumber(number)
        }
        try fields.finish()
        return result
    }

    private static func encode(_ number: Int64, _ fields: [PropertyValue]) -> [UInt8] {
        DERWriter.encode(.array([.integer(version), .integer(number)] + fields))
    }

    private static func message(_ body: [UInt8]) throws(TransportMessageFailure) -> (Int64, TransportFields) {
        let value: PropertyValue
        do throws(DERFailure) {
            value = try DERReader.decode(body, limits: limits)
        } catch {
            throw .notDER(error)
        }
        guard case .array(let values) = value else { throw .notList }
        var fields = TransportFields(values[...])
        let version = try fields.integer()
        guard version == Self.version else { throw .unknownVersion(version) }
        return (try fields.integer(), fields)
    }
}
