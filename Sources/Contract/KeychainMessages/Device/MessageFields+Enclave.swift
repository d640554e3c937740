import LatchkeyEnclaveCore
import LatchkeyPropertyListDER

/// Fields that are bytes of the enclave's own messages (`Docs/Formats/enclave-mailbox.md`).
extension FieldWriter {
    mutating func enclaveRefusal(_ refusal: EnclaveRefusal) {
        data(EnclaveMessageCodec.encode(refusal).body)
    }
}

extension MessageFields {
    mutating func enclaveRefusal() throws(MessageCodingFailure) -> EnclaveRefusal {
        guard case .failure(let refusal) = try MessageCoding.enclaveAnswer(Done.self, &self) else {
            throw .badField("refusal")
        }
        return refusal
    }
}
