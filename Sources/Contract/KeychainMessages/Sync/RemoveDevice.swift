package import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Removes a device from the circle. The others go on under new keys.
package struct RemoveDevice: SyncChange {
    package static let number: Int64 = 57
    package static let name = "sync-remove"

    package let identifier: [UInt8]
    /// True to ask the device to delete what it has of the circle.
    package let deletesItems: Bool
    package let passcode: SecretBox?

    package init(_ identifier: [UInt8], deletesItems: Bool, passcode: SecretBox?) {
        self.identifier = identifier
        self.deletesItems = deletesItems
        self.passcode = passcode
    }

    package var subject: String { Hexadecimal.text(identifier) }

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.boolean(deletesItems)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        deletesItems = try fields.boolean("deletes items")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> RemovedDevice {
        try circle.answer(self)
    }
}

/// The removal of a device, and what it could read.
package struct RemovedDevice: Sendable {
    /// A new recovery code, if the device had set the one before.
    package let recoveryCode: SecretBox?
    /// The number of items in each access group that the device could read.
    package let readableItems: [String: Int64]

    package init(recoveryCode: SecretBox?, readableItems: [String: Int64]) {
        self.recoveryCode = recoveryCode
        self.readableItems = readableItems
    }
}

extension RemovedDevice: KeychainAnswer {
    package static let replyNumber: Int64 = 57

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(recoveryCode)
        writer.counts(readableItems)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        recoveryCode = try fields.optionalSecret("code")
        readableItems = try fields.counts("items")
    }
}

/// Leaves the circle. The items stay on this device, or go.
package struct LeaveCircle: SyncChange {
    package static let number: Int64 = 58
    package static let name = "sync-leave"

    package let deletesItems: Bool
    /// True to leave although not everything of this device has reached another one, or the store does not answer.
    package let isForced: Bool
    package let passcode: SecretBox?

    package init(deletesItems: Bool, isForced: Bool, passcode: SecretBox?) {
        self.deletesItems = deletesItems
        self.isForced = isForced
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(deletesItems)
        writer.boolean(isForced)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        deletesItems = try fields.boolean("deletes items")
        isForced = try fields.boolean("forced")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}

/// Replaces the recovery code of the circle.
package struct ReplaceRecoveryCode: SyncChange {
    package static let number: Int64 = 60
    package static let name = "sync-recovery-code"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> NewRecoveryCode {
        try circle.answer(self)
    }
}
