package import LatchkeyCodeSignature
package import LatchkeyEnclaveContract
package import LatchkeyEncoding
package import LatchkeySecretMemory

/// Signatures of the team count from now on, until `expires`. Its key is pinned.
package struct TrustTeam: OwnersChange {
    package static let number: Int64 = 1
    package static let name = "trust-team"

    package let key: TeamPublicKey
    /// For people.
    package let teamName: String
    package let expires: WallTime?
    package let passcode: SecretBox?

    package init(key: TeamPublicKey, name: String, expires: WallTime?, passcode: SecretBox?) {
        self.key = key
        teamName = name
        self.expires = expires
        self.passcode = passcode
    }

    package var subject: String { key.identifier.text }

    package func write(to writer: inout FieldWriter) {
        writer.data(key.bytes)
        writer.text(teamName)
        writer.optionalDate(expires)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        key = try fields.teamKey()
        teamName = try fields.text("name")
        expires = try fields.optionalDate("expires")
        passcode = try fields.passcode()
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}

extension MessageFields {
    mutating func teamKey() throws(MessageCodingFailure) -> TeamPublicKey {
        guard let key = TeamPublicKey(try data("key")) else { throw .badField("key") }
        return key
    }
}
