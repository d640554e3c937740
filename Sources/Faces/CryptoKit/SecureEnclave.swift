import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyKeychainMessages
public import Security

/// Private keys that live in the enclave of the device: they are made there and used there, and nothing else ever has
/// them.
///
/// What a program keeps of a key is its `dataRepresentation`. Only the enclave that made the key can do something with
/// it, and only as far as the key's access control lets it.
public enum SecureEnclave: Sendable {
    /// Whether this program reaches a device, and with it an enclave.
    public static var isAvailable: Bool {
        guard let keychain = try? CurrentKeychain.keychain() else { return false }
        return if case .status = keychain.perform(DeviceRequest.status) { true } else { false }
    }

    /// Keys on the curve P-256.
    public enum P256: Sendable {
        /// Keys that sign.
        public enum Signing: Sendable {}
        /// Keys that agree on a secret with another key.
        public enum KeyAgreement: Sendable {}
    }

    /// Of keys that are made without one: usable from the first unlock on, nobody is asked, and as every key bound to
    /// this device.
    @usableFromInline static var usualAccessControl: SecAccessControl {
        SecAccessControl(AccessControl(protection: .afterFirstUnlockThisDeviceOnly))
    }
}
