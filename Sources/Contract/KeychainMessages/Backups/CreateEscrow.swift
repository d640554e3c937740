package import LatchkeySecretMemory

/// Makes an escrow: a host gets a keybag with which it may back up and restore without the passcode, and the device keeps
/// the key that opens it. Needs the passcode.
package struct CreateEscrow: OwnersChange {
    package static let number: Int64 = 40
    package static let name = "create-escrow"

    /// For people: 1 to ``EscrowRecord/nameByteLimit`` bytes.
    package let hostName: String
    package let passcode: SecretBox?

    package init(hostName: String, passcode: SecretBox?) {
        self.hostName = hostName
        self.passcode = passcode
    }

    package var subject: String { hostName }

    package func write(to writer: inout FieldWriter) {
        writer.text(hostName)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        hostName = try fields.hostName()
        passcode = try fields.passcode()
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> HostKeybag {
        try device.answer(self)
    }
}

/// The host's half of an escrow (`Docs/Formats/keybag.md`).
package struct HostKeybag: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension HostKeybag: KeychainAnswer {
    package static let replyNumber: Int64 = 40

    package func write(to writer: inout FieldWriter) {
        writer.data(bytes)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        bytes = try fields.data("keybag")
    }
}
