package import LatchkeyPlainText
import LatchkeySecretMemory

/// The place of a circle's store, as its owner names it: `folder:/srv/sync`, or `etcd:https://host:2379`.
package struct StoreAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Place: Sendable, Hashable {
        /// The absolute path of a folder.
        case folder(String)
        case etcd(EtcdAddress)
    }

    /// The greatest number of bytes of the text.
    package static let byteLimit = 4096
    private static let folderPrefix = "folder:"

    package let place: Place

    /// Returns nil for a path that is not absolute, or is too long.
    package init?(folder: String) {
        guard PathText.isAbsolute(folder), !folder.utf8.contains(0) else { return nil }
        self.init(.folder(folder))
    }

    /// Returns nil if the text of the address is too long.
    package init?(_ place: Place) {
        self.place = place
        guard description.utf8.count <= Self.byteLimit else { return nil }
    }

    /// Returns nil for the text of no store.
    package init?(_ text: String) {
        if text.hasPrefix(Self.folderPrefix) {
            self.init(folder: String(text.dropFirst(Self.folderPrefix.count)))
        } else {
            guard let address = try? EtcdAddress(text) else { return nil }
            self.init(.etcd(address))
        }
    }

    package var description: String {
        switch place {
        case .folder(let path): Self.folderPrefix + path
        case .etcd(let address): address.description
        }
    }

    /// The text that tells which store it is, without the files of this machine.
    package var storeText: String {
        switch place {
        case .folder: description
        case .etcd(let address): address.serverText
        }
    }

    /// The paths on this machine that the store uses.
    package var paths: [String] {
        switch place {
        case .folder(let path): [path]
        case .etcd(let address): address.files
        }
    }
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
