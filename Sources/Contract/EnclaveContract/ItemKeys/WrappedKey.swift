package import LatchkeyKeybag

/// The purpose of a wrapped key. The wrapping key depends on it, so that a key wrapped for one use cannot be unwrapped
/// for another.
package enum KeyUse: UInt8, Sendable, CaseIterable {
    /// Encrypts the secret of one item.
    case item = 1
    /// Encrypts the attributes of the items of one class.
    case metadata = 2
    /// Computes the search tokens of a device.
    case search = 3
    /// Wraps the private number or seed of an enclave key, which is never given out.
    case signing = 4
    /// Encrypts the content of one protected file. Its class is a file class, and its binding the file's identifier. The
    /// other uses have keychain classes.
    case file = 5
    /// A class key of a backup, which is never given out. Its binding is the identifier of the backup's keybag and the
    /// number of the class.
    case backup = 6
    /// Opens the keybag of a host (``SealedEscrowKey``), and is never given out. Its binding is the identifier of the
    /// keybag and the salt of the passcode.
    case escrow = 7
    /// A secret of a circle of devices: a zone key, or the circle's own. Its class is `aku` or `cku`, and its binding the
    /// secret's place in the circle (`Docs/Formats/sync.md`).
    case sync = 8

    /// The classes of keys for ``sync``: they stay on the device, and follow its lock state.
    package static let syncClasses: Set<KeyClass> = [.whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly]
}

/// A key that only the enclave can unwrap. The wrapping key depends on `binding` (the serialised access control of an
/// item, the identifier of a file, the place of a secret in a circle, otherwise empty); if the binding is altered, the key cannot be unwrapped.
package struct WrappedKey: Sendable, Equatable {
    static let byteLimit = 256

    package let keyClass: KeyClass
    package let use: KeyUse
    package let binding: [UInt8]
    package let bytes: [UInt8]

    package init(keyClass: KeyClass, use: KeyUse, binding: [UInt8], bytes: [UInt8]) {
        self.keyClass = keyClass
        self.use = use
        self.binding = binding
        self.bytes = bytes
    }
}
