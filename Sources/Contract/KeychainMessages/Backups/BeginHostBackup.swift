/// Begins an encrypted backup with a host's keybag in the place of the passcode.
package struct BeginHostBackup: ListedDeviceQuestion {
    package static let number: Int64 = 43
    package static let traits: KeychainTraits = .audited
    package static let name = "backup-begin-host"

    package let host: HostKeybag

    package init(_ host: HostKeybag) {
        self.host = host
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(host.bytes)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        host = HostKeybag(try fields.data("keybag"))
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackupGrant {
        try device.answer(self)
    }
}
