package enum EnclaveLimits {
    package static let keysPerBatch = 256
    /// The length of the key of an item.
    package static let keyByteCount = 32
    package static let passcodeByteCount = 1024
    package static let bindingByteCount = 4096
    /// The length of the binding of a key for ``KeyUse/sync``.
    package static let syncBindingByteCount = 49
    /// The longest keybag of a backup. Those of devices stay below 2 KiB.
    package static let keybagByteCount = 16_384
    package static let applicationPasswordByteCount = 4096
    package static let keyBlobByteCount = 4096
    /// The longest digest that a P-256 key signs.
    package static let digestByteCount = 64
    /// The longest message that an ML-DSA key signs.
    package static let messageByteCount = 1 << 20
    /// The longest context string of FIPS 204.
    package static let contextStringByteCount = 255
    /// The number of authentication contexts that may be open at the same time.
    package static let contexts = 1024
    /// The longest reuse window of an unlock by finger.
    package static let reuseSeconds: Double = 300
    /// The longest wait for a finger in one request.
    package static let matchSeconds: Double = 300
}
