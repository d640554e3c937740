import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Opens keys of files of a backup, at most ``EnclaveLimits/keysPerBatch``.
package struct OpenBackupFileKeys: GrantedQuestion {
    package static let number: Int64 = 35
    package static let traits: KeychainTraits = .repeatable

    package let token: [UInt8]
    package let keys: [BackupFileKey]

    package init(_ token: [UInt8], _ keys: [BackupFileKey]) {
        self.token = token
        self.keys = keys
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(token)
        writer.elements(keys) { part, key in
            part.integer(Int64(key.classNumber))
            part.data(key.wrapped)
        }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        token = try fields.backupToken()
        keys = try fields.elements("keys", limit: EnclaveLimits.keysPerBatch) { part throws(MessageCodingFailure) in
            guard let number = UInt8(exactly: try part.integer("class")), BackupFileKey.classNumbers.contains(number)
            else { throw .badField("class") }
            return BackupFileKey(classNumber: number, wrapped: try part.data("wrapped key"))
        }
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> OpenedBackupFileKeys {
        try device.answer(self)
    }
}

/// One key for each of the question, at the same index; nil for one that does not open.
package struct OpenedBackupFileKeys: Sendable {
    package let keys: [SecretBox?]

    package init(_ keys: [SecretBox?]) {
        self.keys = keys
    }
}

extension OpenedBackupFileKeys: KeychainAnswer {
    package static let replyNumber: Int64 = 35

    package func write(to writer: inout FieldWriter) {
        writer.elements(keys) { part, key in part.optionalSecret(key) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        keys = try fields.elements("keys", limit: EnclaveLimits.keysPerBatch) { part throws(MessageCodingFailure) in
            try part.optionalSecret("key")
        }
    }
}
