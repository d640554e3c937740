import LatchkeyPropertyListDER

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
