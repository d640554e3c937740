package import LatchkeyEnclaveContract

/// Ends a grant: its keys go. The device remembers when a whole backup was made last.
package struct EndBackup: GrantedQuestion {
    package static let number: Int64 = 39
    package static let traits: KeychainTraits = .repeatable

    package let token: [UInt8]
    /// True if everything of the backup is written.
    package let isComplete: Bool

    package init(_ token: [UInt8], isComplete: Bool = false) {
        self.token = token
        self.isComplete = isComplete
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(token)
        writer.boolean(isComplete)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        token = try fields.backupToken()
        isComplete = try fields.boolean("complete")
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}
