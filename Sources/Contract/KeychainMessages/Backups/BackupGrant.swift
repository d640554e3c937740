/// The right to back up or restore items for a while. The daemon keeps it in memory, for the process that asked, until the
/// process ends it, does not use it for ten minutes, or the device is erased.
package struct BackupGrant: Sendable, Hashable {
    package static let tokenByteCount = 16

    package let token: [UInt8]
    /// The keybag of the backup, with its class keys under the password.
    package let keybag: [UInt8]

    package init(token: [UInt8], keybag: [UInt8]) {
        self.token = token
        self.keybag = keybag
    }
}

extension BackupGrant: KeychainAnswer {
    package static let replyNumber: Int64 = 30

    package func write(to writer: inout FieldWriter) {
        writer.data(token)
        writer.data(keybag)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        token = try fields.backupToken()
        keybag = try fields.data("keybag")
    }
}

/// A question that needs a grant.
package protocol GrantedQuestion: ListedDeviceQuestion {
    var token: [UInt8] { get }
}

extension MessageFields {
    mutating func backupToken() throws(MessageCodingFailure) -> [UInt8] {
        let token = try data("grant")
        guard token.count == BackupGrant.tokenByteCount else { throw .badField("grant") }
        return token
    }
}
