package import LatchkeyEnclaveContract

/// An answer of the enclave that the keychain passes on, with the enclave's own bytes in one field.
package protocol ForwardedAnswer: KeychainAnswer, EnclaveAnswer {
    static var fieldName: String { get }
}

extension ForwardedAnswer {
    package func write(to writer: inout FieldWriter) {
        writer.data(EnclaveMessageCodec.encode(self).body)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard case .success(let answer) = try MessageCoding.enclaveAnswer(Self.self, &fields) else {
            throw .badField(Self.fieldName)
        }
        self = answer
    }
}

extension PasscodeTryCost: ForwardedAnswer {
    package static let replyNumber: Int64 = 22
    package static let fieldName = "passcode cost"
}

extension EnclaveRevision: ForwardedAnswer {
    package static let replyNumber: Int64 = 23
    package static let fieldName = "enclave revision"
}

/// An answer about fingers. All of them have one number: the enclave's bytes tell which it is.
package protocol FingerAnswer: ForwardedAnswer {}

extension FingerAnswer {
    package static var replyNumber: Int64 { 9 }
    package static var fieldName: String { "biometry" }
}

extension BiometryStatus: FingerAnswer {}
extension EnrolmentEvent: FingerAnswer {}
extension MatchOutcome: FingerAnswer {}
extension FingerRemoval: FingerAnswer {}
extension FingersDone: FingerAnswer {}
