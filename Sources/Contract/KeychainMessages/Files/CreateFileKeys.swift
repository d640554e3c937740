package import LatchkeyEnclaveContract
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// Creates the keys of 1 to ``EnclaveLimits/keysPerBatch`` new files of one class. All are made, or none is.
///
/// Files of the class ``FileProtection/completeUnlessOpen`` can be created in every lock state.
package struct CreateFileKeys: FileKeyQuestion {
    package typealias Answer = CreatedFileKeys

    package static let number: Int64 = 1
    package static let name = "file-key-create"

    package let protection: FileProtection
    package let identifiers: [FileIdentifier]

    package init(_ protection: FileProtection, for identifiers: [FileIdentifier]) {
        precondition(MessageFields.fileKeyCounts.contains(identifiers.count), "a batch has a limit")
        self.protection = protection
        self.identifiers = identifiers
    }

    package func write(to writer: inout FieldWriter) {
        writer.fileProtection(protection)
        writer.elements(identifiers) { $0.data($1.bytes) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        protection = try fields.fileProtection()
        identifiers = try fields.fileKeyElements("files") { part throws(MessageCodingFailure) in
            try part.fileIdentifier()
        }
    }

    package func answer<Desk: FileKeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

/// The new keys, in the order of the question's identifiers.
package struct CreatedFileKeys: Sendable {
    package struct Key: Sendable {
        package let key: SecretBox
        package let wrapped: WrappedFileKey

        package init(_ key: SecretBox, wrapped: WrappedFileKey) {
            self.key = key
            self.wrapped = wrapped
        }
    }

    package let keys: [Key]

    package init(_ keys: [Key]) {
        self.keys = keys
    }
}

extension CreatedFileKeys: KeychainAnswer {
    package static let replyNumber: Int64 = 1

    package func write(to writer: inout FieldWriter) {
        writer.elements(keys) { part, key in
            part.wrappedFileKey(key.wrapped)
            part.secret(key.key)
        }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        keys = try fields.fileKeyElements("files") { part throws(MessageCodingFailure) in
            let wrapped = try part.wrappedFileKey()
            return Key(try part.fileKey(), wrapped: wrapped)
        }
    }
}
