package import LatchkeyEncoding

/// Asks for the hosts that may back up and restore without the passcode.
package struct ListEscrows: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 41
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [EscrowRecord] {
        try device.answer(self)
    }
}

package struct EscrowRecord: Sendable, Hashable {
    package static let identifierByteCount = 16
    package static let nameByteLimit = 64
    /// The hosts that one device has.
    package static let limit = 16

    /// The identifier of the host's keybag.
    package let identifier: [UInt8]
    package let hostName: String
    package let created: WallTime

    package init(identifier: [UInt8], hostName: String, created: WallTime) {
        self.identifier = identifier
        self.hostName = hostName
        self.created = created
    }
}

extension EscrowRecord: ListedKeychainAnswer {
    package static let listNumber: Int64 = 41
    package static let listName = "hosts"
    package static let listLimit = limit

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.text(hostName)
        writer.date(created)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.escrowIdentifier()
        hostName = try fields.hostName()
        created = try fields.date("created")
    }
}

extension MessageFields {
    mutating func hostName() throws(MessageCodingFailure) -> String {
        let name = try text("name")
        guard (1...EscrowRecord.nameByteLimit).contains(name.utf8.count) else { throw .badField("name") }
        return name
    }

    mutating func escrowIdentifier() throws(MessageCodingFailure) -> [UInt8] {
        let identifier = try data("identifier")
        guard identifier.count == EscrowRecord.identifierByteCount else { throw .badField("identifier") }
        return identifier
    }
}
