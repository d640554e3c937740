import LatchkeyEnclaveContract
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Gives this device a new identity in its circle, because the old one runs twice or can sign no more.
package struct RepairDevice: SyncChange {
    package static let number: Int64 = 68
    package static let name = "sync-repair"

    /// The code of an invitation by another member, who then approves the new identity. Nil if this device is alone in the circle.
    package let code: SecretBox?
    package let passcode: SecretBox?

    package init(code: SecretBox?, passcode: SecretBox?) {
        self.code = code
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(code != nil)
        writer.optionalSecret(passcode)
        if let code { writer.secret(code) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        if try fields.boolean("has a code") {
            let (passcode, code) = try fields.passcodeAndCode()
            self.init(code: code, passcode: passcode)
        } else {
            self.init(code: nil, passcode: try fields.passcode())
        }
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> RepairedDevice {
        try circle.answer(self)
    }
}

/// The new identity of a device.
package struct RepairedDevice: Sendable {
    package let identifier: [UInt8]
    /// True until another member has approved it.
    package let isWaiting: Bool
    /// A new recovery code, if the device is alone and its old identity had set the one before.
    package let recoveryCode: SecretBox?

    package init(_ identifier: [UInt8], isWaiting: Bool, recoveryCode: SecretBox? = nil) {
        self.identifier = identifier
        self.isWaiting = isWaiting
        self.recoveryCode = recoveryCode
    }
}

extension RepairedDevice: KeychainAnswer {
    package static let replyNumber: Int64 = 68

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.boolean(isWaiting)
        writer.optionalSecret(recoveryCode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        isWaiting = try fields.boolean("waits")
        recoveryCode = try fields.optionalSecret("code")
    }
}
