package import LatchkeyEnclaveContract
package import LatchkeyItemModel

/// The refusal of a question about the device.
package enum DeviceRefusal: KeychainFailure, Equatable {
    /// Refused by a rule of the keychain's own.
    case declined(ResultCode, Refusal)
    case refused(EnclaveRefusal)
    /// The daemon gave no answer; made by the caller's side.
    case unreachable(Refusal)
}

extension DeviceRefusal {
    private static let refusedNumber: Int64 = 4
    private static let declinedNumber: Int64 = 8

    package static let questionKind = MessageCoding.Kind.deviceRequest
    package static let answerKind = MessageCoding.Kind.deviceReply

    package func write(to writer: inout FieldWriter) {
        switch self {
        case .declined(let code, let refusal):
            writer.integer(Self.declinedNumber)
            writer.integer(Int64(code.rawValue))
            writer.value(MessageCoding.value(of: refusal))
        case .refused(let refusal):
            writer.integer(Self.refusedNumber)
            writer.enclaveRefusal(refusal)
        case .unreachable(let refusal):
            DeviceRefusal.refused(.storage(reason: refusal.reason)).write(to: &writer)
        }
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        switch number {
        case Self.declinedNumber:
            let code = try MessageCoding.resultCode(&fields)
            guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
            self = .declined(code, try MessageCoding.refusal(part))
        case Self.refusedNumber: self = .refused(try fields.enclaveRefusal())
        default: return nil
        }
    }
}
