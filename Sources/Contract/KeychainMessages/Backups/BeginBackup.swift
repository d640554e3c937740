package import LatchkeyKeybag
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Begins a backup. Needs the passcode each time: the maker of a backup gets every item that it holds.
package struct BeginBackup: OwnersChange {
    package static let number: Int64 = 30
    package static let traits: KeychainTraits = [.ownersAlone, .audited]
    package static let name = "backup-begin"

    package let kind: Kind
    package let passcode: SecretBox?

    package enum Kind: Sendable {
        /// Under the password that was set for backups (``SetBackupPassword``).
        case encrypted
        /// Without a password: items come back on this device alone, and files lie in clear.
        case unencrypted(BackupPassword)
    }

    package init(_ kind: Kind, passcode: SecretBox?) {
        self.kind = kind
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
        if case .unencrypted(let password) = kind { writer.backupPassword(password) } else { writer.value(.null) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        passcode = try fields.optionalSecret("passcode")
        let password = try fields.optionalBackupPassword()
        kind = password.map { .unencrypted($0) } ?? .encrypted
        try fields.checkSecretCount((passcode == nil ? 0 : 1) + (password == nil ? 0 : 1), "password")
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackupGrant {
        try device.answer(self)
    }
}

/// The password of a backup as the device sees it: the key that was made of it, and how.
package struct BackupPassword: Sendable {
    package let parameters: BackupPasswordParameters
    package let key: SecretBox

    package init(_ parameters: BackupPasswordParameters, key: SecretBox) {
        self.parameters = parameters
        self.key = key
    }
}

extension FieldWriter {
    mutating func backupPassword(_ password: BackupPassword) {
        elements([password]) { part, password in
            part.secret(password.key)
            for round in [password.parameters.first, password.parameters.second] {
                part.value(round.map { .array([.data($0.salt), .integer(Int64($0.iterations))]) } ?? .null)
            }
        }
    }
}

extension MessageFields {
    /// A password, or null.
    mutating func optionalBackupPassword() throws(MessageCodingFailure) -> BackupPassword? {
        guard var list = try part("password") else { return nil }
        guard var part = try list.part("password") else { throw .badField("password") }
        try list.finish()
        let key = try part.backupPasswordKey()
        let first = try part.backupRound()
        guard let second = try part.backupRound(),
            let parameters = BackupPasswordParameters(first: first, second: second)
        else { throw .badField("password") }
        try part.finish()
        return BackupPassword(parameters, key: key)
    }

    mutating func backupPasswordKey() throws(MessageCodingFailure) -> SecretBox {
        let key = try secret("key of a password")
        guard key.count == 32 else { throw .badField("key of a password") }
        return key
    }

    private mutating func backupRound() throws(MessageCodingFailure) -> BackupPasswordParameters.Round? {
        guard var part = try part("round") else { return nil }
        let salt = try part.data("salt")
        let iterations = try part.integer("iterations")
        try part.finish()
        guard let iterations = UInt32(exactly: iterations) else { throw .badField("iterations") }
        return BackupPasswordParameters.Round(salt: salt, iterations: iterations)
    }
}
