/// Ends an escrow: the device forgets its key, and the host's keybag opens nothing any more. Needs no passcode: it takes
/// rights away.
package struct RevokeEscrow: ListedDeviceQuestion {
    package static let number: Int64 = 42
    package static let traits: KeychainTraits = [.changesDevice, .audited]
    package static let name = "revoke-escrow"

    /// Nil for all.
    package let identifier: [UInt8]?

    package init(_ identifier: [UInt8]?) {
        self.identifier = identifier
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier ?? [])
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        let bytes = try fields.data("identifier")
        guard bytes.isEmpty || bytes.count == EscrowRecord.identifierByteCount else { throw .badField("identifier") }
        identifier = bytes.isEmpty ? nil : bytes
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> RemovedCount {
        try device.answer(self)
    }
}
