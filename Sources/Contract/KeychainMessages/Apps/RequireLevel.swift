package import LatchkeyCodeSignature
package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Sets the weakest assurance level at which the device serves a program from now on; C serves all.
package struct RequireLevel: OwnersChange {
    package static let number: Int64 = 7
    package static let name = "require-level"

    package let level: AssuranceLevel
    package let passcode: SecretBox?

    package init(_ level: AssuranceLevel, passcode: SecretBox?) {
        self.level = level
        self.passcode = passcode
    }

    package var subject: String { level.rawValue }

    package func write(to writer: inout FieldWriter) {
        writer.text(level.rawValue)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.level("level"), passcode: try fields.passcode())
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}

extension MessageFields {
    mutating func level(_ name: String) throws(MessageCodingFailure) -> AssuranceLevel {
        guard let level = AssuranceLevel(rawValue: try text(name)) else { throw .badField(name) }
        return level
    }
}
