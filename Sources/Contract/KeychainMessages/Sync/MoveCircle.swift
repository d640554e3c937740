package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Goes on with the circle in another store. The device writes there what the circle lacks; every device has to move by itself.
package struct MoveCircle: SyncChange {
    package static let number: Int64 = 69
    package static let name = "sync-store-move"

    package let store: StoreAddress
    package let passcode: SecretBox?

    package init(to store: StoreAddress, passcode: SecretBox?) {
        self.store = store
        self.passcode = passcode
    }

    package var subject: String { store.description }

    package func write(to writer: inout FieldWriter) {
        writer.text(store.description)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        store = try fields.storeAddress()
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
