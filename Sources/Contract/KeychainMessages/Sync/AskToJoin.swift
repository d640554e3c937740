package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Asks the circle of a member to admit this device, without a code. The member then approves the fingerprint of this device.
///
/// The device enters the circle if this member admits it, and in no other way: without a code the store could show a circle of its own,
/// or an old state in which a removed device may still admit others.
package struct AskToJoin: SyncChange {
    package static let number: Int64 = 71
    package static let name = "sync-ask"

    package let store: StoreAddress
    package let deviceName: String
    /// The fingerprint of the member, as a person has read it there.
    package let member: FingerprintText
    package let passcode: SecretBox?

    package init(store: StoreAddress, deviceName: String, member: FingerprintText, passcode: SecretBox?) {
        self.store = store
        self.deviceName = deviceName
        self.member = member
        self.passcode = passcode
    }

    package var subject: String { "\(store.description) \(member.characters)" }

    package func write(to writer: inout FieldWriter) {
        writer.text(store.description)
        writer.text(deviceName)
        writer.text(member.characters)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        store = try fields.storeAddress()
        deviceName = try fields.deviceName()
        member = try fields.fingerprint("member")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
