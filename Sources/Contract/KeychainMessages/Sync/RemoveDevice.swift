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
