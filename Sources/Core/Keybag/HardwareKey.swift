import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The device's UID and the keys derived from it. It never leaves the enclave.
package struct HardwareKey: Sendable {
    package static let byteCount = 32

    private let uid: SecretBox
    /// Wraps the class keys that need no passcode, and the inner layer of the ThisDeviceOnly ones.
    package let deviceKey: SecretBox

    package init(uid: SecretBox) {
        precondition(uid.count == Self.byteCount, "a UID has 32 bytes")
        self.uid = uid
        deviceKey = HMACSHA256.secret(over: Array("latchkey device key".utf8), key: uid)
    }

    /// Derives a key for another purpose; different labels give unrelated keys.
    package func derived(label: String) -> SecretBox {
        HMACSHA256.secret(over: Array("latchkey derived key\0".utf8) + Array(label.utf8), key: uid)
    }

    /// Binds a stretched passcode to this device, so that it can be guessed only here.
    package func tangled(_ stretched: SecretBox) -> SecretBox {
        let label = Array("latchkey passcode key\0".utf8)
        let message = unsafe SecretBox(count: label.count + stretched.count) { message in
            unsafe message.copyBytes(from: label)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: message[label.count...])
            unsafe stretched.withBytes { unsafe rest.copyMemory(from: $0) }
        }
        return unsafe message.withBytes { unsafe HMACSHA256.secret(over: $0, key: uid) }
    }
}
