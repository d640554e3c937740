import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeySecretMemory

extension HostKeybag {
    /// Reads the file of a host.
    init(file path: String) throws(CommandFailure) {
        let input = try InputFile(path)
        // One byte more than there may be.
        var count = 0
        let buffer = unsafe try SecretBox(count: EscrowKeybag.byteLimit + 1) { buffer throws(CommandFailure) in
            count = unsafe try input.read(into: buffer, at: 0)
        }
        guard count <= EscrowKeybag.byteLimit else { throw .noHostKeybag(path) }
        self.init(unsafe buffer.withBytes { unsafe Array($0[..<count]) })
    }

    /// The identifier of the keybag; nil for bytes that are not a keybag of a host.
    var identifier: [UInt8]? {
        guard let keybag = try? Keybag(parsing: bytes), keybag.header.kind == .escrow else { return nil }
        return keybag.header.uuid
    }
}

extension CommandFailure {
    static func noHostKeybag(_ path: String) -> CommandFailure {
        CommandFailure(
            .inputUnreadable, "\(PlainText.escaped(path)) is not the keybag of a host.",
            advice: "`latchkey escrow create` makes one.")
    }
}
