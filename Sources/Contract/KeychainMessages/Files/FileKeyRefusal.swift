package import LatchkeyItemModel

/// The refusal of a question about the keys of files, or of one key.
package struct FileKeyRefusal: KeychainFailure, Hashable {
    /// `errSecInteractionNotAllowed` (-25308) while the device's lock state refuses the file.
    package let code: ResultCode
    /// Nil if the code says everything.
    package let refusal: Refusal?

    package init(_ code: ResultCode, _ refusal: Refusal? = nil) {
        self.code = code
        self.refusal = refusal
    }

    /// The refusal of a file that a parent of this process opened.
    package static let ofParent = FileKeyRefusal(.notAvailable, Refusal(.processForked))
}

extension FileKeyRefusal {
    private static let replyNumber: Int64 = 4

    package static let questionKind = MessageCoding.Kind.fileKeyRequest
    package static let answerKind = MessageCoding.Kind.fileKeyReply

    package func write(to writer: inout FieldWriter) {
        writer.integer(Self.replyNumber)
        writer.fileKeyRefusal(self)
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard number == Self.replyNumber else { return nil }
        self = try fields.fileKeyRefusal()
    }
}

extension FileKeyRefusal {
    /// The wrapped key belongs to another file, class or device, or was altered. All look the same: none opens.
    package static let keyNotHere = FileKeyRefusal(
        .decode,
        Refusal(.fileKeyNotHere))
}
