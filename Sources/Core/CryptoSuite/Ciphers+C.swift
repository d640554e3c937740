@_implementationOnly import CLatchkeyLibcrypto

/// libcrypto's ciphers, fetched once. A cipher that was not fetched is looked up again for each message, which takes
/// longer than a short message.
enum Ciphers {
    // Set once and never changed: safe in every thread.
    nonisolated(unsafe) static let aes128GCM = unsafe fetch("AES-128-GCM")
    nonisolated(unsafe) static let aes256GCM = unsafe fetch("AES-256-GCM")
    nonisolated(unsafe) static let aes128ECB = unsafe fetch("AES-128-ECB")
    nonisolated(unsafe) static let aes192ECB = unsafe fetch("AES-192-ECB")
    nonisolated(unsafe) static let aes256ECB = unsafe fetch("AES-256-ECB")
    nonisolated(unsafe) static let aes256SIV = unsafe fetch("AES-256-SIV")

    private static func fetch(_ name: String) -> OpaquePointer {
        guard let cipher = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto has no \(name)")
        }
        return unsafe cipher
    }
}
