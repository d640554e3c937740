package import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Asks which device has answered the open invitation.
package struct ListJoinRequests: SyncQuestion, BareKeychainQuestion {
    package static let number: Int64 = 54
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> [WaitingDevice] {
        try circle.answer(self)
    }
}

/// A device that asks to be admitted.
package struct WaitingDevice: Sendable, Hashable {
    /// The device's identifier in the circle.
    package let identifier: [UInt8]
    package let deviceName: String
    package let system: String

    package init(identifier: [UInt8], deviceName: String, system: String) {
        self.identifier = identifier
        self.deviceName = deviceName
        self.system = system
    }
}

extension WaitingDevice: ListedKeychainAnswer {
    package static let listNumber: Int64 = 54
    package static let listName = "devices"
    package static let listLimit = 16

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.text(deviceName)
        writer.text(system)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        deviceName = try fields.text("name")
        system = try fields.text("system")
    }
}

/// Admits a device that has answered the open invitation.
package struct ApproveDevice: SyncChange {
    package static let number: Int64 = 55
    package static let name = "sync-approve"

    /// As in ``WaitingDevice/identifier``: the device that the person has seen.
    package let identifier: [UInt8]
    package let passcode: SecretBox?

    package init(_ identifier: [UInt8], passcode: SecretBox?) {
        self.identifier = identifier
        self.passcode = passcode
    }

    package var subject: String { Hexadecimal.text(identifier) }

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
