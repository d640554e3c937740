package import LatchkeySecretMemory

/// Founds a circle with this device in it, and makes its recovery code.
package struct CreateCircle: SyncChange {
    package static let number: Int64 = 50
    package static let name = "sync-create"

    package let store: StoreAddress
    /// The name of this device, for the people who have the others.
    package let deviceName: String
    package let passcode: SecretBox?

    package init(store: StoreAddress, deviceName: String, passcode: SecretBox?) {
        self.store = store
        self.deviceName = deviceName
        self.passcode = passcode
    }

    package var subject: String { store.description }

    package func write(to writer: inout FieldWriter) {
        writer.text(store.description)
        writer.text(deviceName)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        store = try fields.storeAddress()
        deviceName = try fields.deviceName()
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> NewRecoveryCode {
        try circle.answer(self)
    }
}

/// A recovery code for the person who keeps it. It is answered once and stored nowhere.
package struct NewRecoveryCode: Sendable {
    /// In groups of four characters.
    package let code: SecretBox

    package init(_ code: SecretBox) {
        self.code = code
    }
}

extension NewRecoveryCode: KeychainAnswer {
    package static let replyNumber: Int64 = 50

    package func write(to writer: inout FieldWriter) {
        writer.secret(code)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        code = try fields.secret("code")
    }
}
