import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Asks for new keys of files of a backup, one for each class number, at most ``EnclaveLimits/keysPerBatch``.
package struct CreateBackupFileKeys: GrantedQuestion {
    package static let number: Int64 = 34
    package static let traits: KeychainTraits = .repeatable

    package let token: [UInt8]
    /// 1 to 4.
    package let classNumbers: [UInt8]

    package init(_ token: [UInt8], classNumbers: [UInt8]) {
        self.token = token
        self.classNumbers = classNumbers
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(token)
        writer.data(classNumbers)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        token = try fields.backupToken()
        classNumbers = try fields.data("classes")
        guard (1...EnclaveLimits.keysPerBatch).contains(classNumbers.count),
            classNumbers.allSatisfy({ BackupFileKey.classNumbers.contains($0) })
        else { throw .badField("classes") }
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> NewBackupFileKeys {
        try device.answer(self)
    }
}

package struct NewBackupFileKeys: Sendable {
    package let keys: [(key: SecretBox, wrapped: [UInt8])]

    package init(_ keys: [(key: SecretBox, wrapped: [UInt8])]) {
        self.keys = keys
    }
}

extension NewBackupFileKeys: KeychainAnswer {
    package static let replyNumber: Int64 = 34

    package func write(to writer: inout FieldWriter) {
        writer.elements(keys) { part, key in
            part.secret(key.key)
            part.data(key.wrapped)
        }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        keys = try fields.elements("keys", limit: EnclaveLimits.keysPerBatch) { part throws(MessageCodingFailure) in
            (key: try part.secret("key"), wrapped: try part.data("wrapped key"))
        }
    }
}
