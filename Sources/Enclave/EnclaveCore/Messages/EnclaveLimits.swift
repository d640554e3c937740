package enum EnclaveLimits {
    package static let keysPerBatch = 256
    package static let passcodeByteCount = 1024
    package static let bindingByteCount = 4096
    package static let applicationPasswordByteCount = 4096
    package static let keyBlobByteCount = 4096
    /// What a P-256 key of the enclave signs at once.
    package static let digestByteCount = 64
    /// What an ML-DSA key of the enclave signs at once.
    package static let messageByteCount = 1 << 20
    /// The context string beside a message, as FIPS 204 has it.
    package static let contextStringByteCount = 255
    /// Authentication contexts that are open at the same time.
    package static let contexts = 1024
    /// The longest reuse window of an unlock by finger.
    package static let reuseSeconds: Double = 300
    /// The longest wait for a finger that one request asks for.
    package static let matchSeconds: Double = 300
}
