public import Foundation

// Objects that programs name in their signatures and casts. Password items never hold one. They are immutable, so
// sharing them between threads is safe.

/// A cryptographic key.
public final class SecKey: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecKey.self, name: "SecKey")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecKey.registration.infoWord

    /// Only this module makes keys.
    override init() { super.init() }
}

/// A certificate.
public final class SecCertificate: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecCertificate.self, name: "SecCertificate")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecCertificate.registration.infoWord

    /// Only this module makes certificates.
    override init() { super.init() }
}

/// A certificate with its private key.
public final class SecIdentity: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecIdentity.self, name: "SecIdentity")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecIdentity.registration.infoWord

    /// Only this module makes identities.
    override init() { super.init() }
}
