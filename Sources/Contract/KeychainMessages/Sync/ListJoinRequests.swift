import LatchkeyEnclaveContract
import LatchkeyPropertyListDER

/// Asks which device has answered the open invitation, or whether a device with a fingerprint has asked to be admitted.
///
/// Devices that ask without a code are not listed: the store can show any number of them, and a person who copied a fingerprint from
/// such a list would have compared nothing.
package struct ListJoinRequests: SyncQuestion {
    package static let number: Int64 = 54
    package static let traits: KeychainTraits = .repeatable

    /// As a person has read it on the other device. Nil to ask for the device with the code.
    package let fingerprint: FingerprintText?

    package init(_ fingerprint: FingerprintText? = nil) {
        self.fingerprint = fingerprint
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalText(fingerprint?.characters)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        fingerprint = try fields.optionalFingerprint("fingerprint")
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> [WaitingDevice] {
        try circle.answer(self)
    }
}

/// A device that asks to be admitted.
package struct WaitingDevice: Sendable, Hashable {
    /// Name and system of a device, as it says itself.
    package struct Description: Sendable, Hashable {
        package let name: String
        package let system: String

        package init(name: String, system: String) {
            self.name = name
            self.system = system
        }
    }

    /// The device's identifier in the circle.
    package let identifier: [UInt8]
    package let fingerprint: FingerprintText
    /// Nil for a device that asks without a code: nothing proves what it says.
    package let description: Description?

    package init(identifier: [UInt8], fingerprint: FingerprintText, description: Description?) {
        self.identifier = identifier
        self.fingerprint = fingerprint
        self.description = description
    }
}

extension WaitingDevice: ListedKeychainAnswer {
    package static let listNumber: Int64 = 54
    package static let listName = "devices"
    package static let listLimit = 16

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.text(fingerprint.characters)
        writer.optionalText(description?.name)
        writer.optionalText(description?.system)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        fingerprint = try fields.fingerprint("fingerprint")
        let (name, system) = (try fields.optionalText("name"), try fields.optionalText("system"))
        guard (name == nil) == (system == nil) else { throw .badField("system") }
        description = name.flatMap { name in system.map { Description(name: name, system: $0) } }
    }
}
