import LatchkeyEnclaveContract
import LatchkeyPropertyListDER

/// Fields that are bytes of the enclave's own messages (`Docs/Formats/enclave-mailbox.md`).
extension MessageCoding {
    /// The question for the enclave's status, which stands for that of the device.
    static var enclaveStatusQuestion: PropertyValue { .data(EnclaveMessageCodec.encode(AskStatus()).body) }
}

extension FieldWriter {
    mutating func enclaveStatus(_ status: EnclaveStatus) {
        data(EnclaveMessageCodec.encode(status).body)
    }

    mutating func enclaveRefusal(_ refusal: EnclaveRefusal) {
        data(EnclaveMessageCodec.encode(refusal).body)
    }
}

extension MessageFields {
    mutating func enclaveStatus() throws(MessageCodingFailure) -> EnclaveStatus {
        guard case .success(let status) = try MessageCoding.enclaveAnswer(EnclaveStatus.self, &self) else {
            throw .badField("enclave status")
        }
        return status
    }

    mutating func enclaveRefusal() throws(MessageCodingFailure) -> EnclaveRefusal {
        guard case .failure(let refusal) = try MessageCoding.enclaveAnswer(Done.self, &self) else {
            throw .badField("refusal")
        }
        return refusal
    }
}
