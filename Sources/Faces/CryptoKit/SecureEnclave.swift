import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyKeychainMessages
public import Security

/// Private keys that live in the enclave of the device: they are made and used there, and never leave it.
///
/// A program keeps a key as its `dataRepresentation`. Only the enclave that made the key can use it, and only as far as
/// the key's access control allows.
public enum SecureEnclave: Sendable {
    /// True if this program reaches a device, and with it an enclave.
    public static var isAvailable: Bool {
        guard let keychain = try? CurrentKeychain.keychain() else { return false }
        return (try? keychain.ask(DescribeDevice())) != nil
    }

    /// Keys on the curve P-256.
    public enum P256: Sendable {
        /// Keys that sign.
        public enum Signing: Sendable {}
        /// Keys that agree on a secret with another key.
        public enum KeyAgreement: Sendable {}
    }

    /// The access control of keys made without one: usable from the first unlock on without a prompt, and, like every
    /// key, bound to this device.
    @usableFromInline static var usualAccessControl: SecAccessControl {
        SecAccessControl(AccessControl(protection: .afterFirstUnlockThisDeviceOnly))
    }
}
