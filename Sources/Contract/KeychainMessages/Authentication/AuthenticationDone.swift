/// The answer to a question of an `LAContext` that is done as asked. On the wire it has the form of a fulfilment
/// without a state of the enrolment.
package struct AuthenticationDone: KeychainAnswer, Hashable {
    package static let replyNumber: Int64 = 1

    package init() {}

    package func write(to writer: inout FieldWriter) {
        writer.domainState(nil)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard try fields.domainState() == nil else { throw .badField("domain state") }
    }
}
