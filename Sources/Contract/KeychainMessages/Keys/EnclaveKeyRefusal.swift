import LatchkeyEnclaveContract
package import LatchkeyItemModel
import LatchkeyPropertyListDER

/// The refusal of a question about an enclave key.
package struct EnclaveKeyRefusal: KeychainFailure, Hashable {
    package let code: ResultCode
    /// Nil if the code says everything.
    package let refusal: Refusal?

    package init(_ code: ResultCode, _ refusal: Refusal? = nil) {
        self.code = code
        self.refusal = refusal
    }
}

extension EnclaveKeyRefusal {
    private static let replyNumber: Int64 = 5

    package static let questionKind = MessageCoding.Kind.keyRequest
    package static let answerKind = MessageCoding.Kind.keyReply

    package func write(to writer: inout FieldWriter) {
        writer.integer(Self.replyNumber)
        writer.integer(Int64(code.rawValue))
        writer.value(refusal.map { MessageCoding.value(of: $0) } ?? .null)
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard number == Self.replyNumber else { return nil }
        code = try MessageCoding.resultCode(&fields)
        refusal = try fields.part("refusal").map { (part) throws(MessageCodingFailure) in
            try MessageCoding.refusal(part)
        }
    }
}

extension EnclaveKeyRefusal {
    /// The bytes are not the blob of a key, or the key is of another device.
    package static let keyNotHere = EnclaveKeyRefusal(
        .itemNotFound,
        Refusal(.enclaveKeyNotHere))

    /// Returns the refusal of a blob that is longer than that of any key; nil for all other blobs.
    static func ofLength(of blob: [UInt8]) -> EnclaveKeyRefusal? {
        blob.count <= EnclaveLimits.keyBlobByteCount ? nil : keyNotHere
    }
}
