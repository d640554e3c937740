import LatchkeyPlainText
import LatchkeySecretMemory

/// The place of a circle's store, as its owner names it: `folder:/srv/sync`.
package struct StoreAddress: Sendable, Hashable, CustomStringConvertible {
    /// The greatest number of bytes of the text.
    package static let byteLimit = 4096
    private static let folderPrefix = "folder:"

    /// The absolute path of a folder.
    package let folder: String

    /// Returns nil for a path that is not absolute, or is too long.
    package init?(folder: String) {
        guard PathText.isAbsolute(folder), !folder.utf8.contains(0),
            folder.utf8.count + Self.folderPrefix.utf8.count <= Self.byteLimit
        else { return nil }
        self.folder = folder
    }

    /// Returns nil for the text of no store.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.folderPrefix) else { return nil }
        self.init(folder: String(text.dropFirst(Self.folderPrefix.count)))
    }

    package var description: String { Self.folderPrefix + folder }
}

extension MessageFields {
    mutating func storeAddress() throws(MessageCodingFailure) -> StoreAddress {
        guard let address = StoreAddress(try text("store")) else { throw .badField("store") }
        return address
    }

    /// Takes a name of a device for people: 1 to ``CircleDevice/nameByteLimit`` bytes.
    mutating func deviceName() throws(MessageCodingFailure) -> String {
        let name = try text("name")
        guard (1...CircleDevice.nameByteLimit).contains(name.utf8.count) else { throw .badField("name") }
        return name
    }

    mutating func circleIdentifier(_ name: String) throws(MessageCodingFailure) -> [UInt8] {
        let identifier = try data(name)
        guard identifier.count == CircleDevice.identifierByteCount else { throw .badField(name) }
        return identifier
    }

    /// Takes the two secrets of a message: the passcode, which may be missing, and a code.
    mutating func passcodeAndCode() throws(MessageCodingFailure) -> (passcode: SecretBox?, code: SecretBox) {
        let passcode = try optionalSecret("passcode")
        let code = try secret("code")
        try checkSecretCount(passcode == nil ? 1 : 2, "code")
        return (passcode, code)
    }
}
