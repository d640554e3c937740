public import Foundation
import LatchkeyCertificates

/// A certificate with its private key. Two are equal if both parts are. Immutable, and therefore Sendable.
public final class SecIdentity: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecIdentity.self, name: "SecIdentity")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecIdentity.registration.infoWord
    package let certificate: SecCertificate
    package let key: SecKey

    /// The caller must know that the key belongs to the certificate.
    package init(certificate: SecCertificate, key: SecKey) {
        self.certificate = certificate
        self.key = key
        super.init()
    }

    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return other.certificate.isEqual(certificate) && other.key.isEqual(key)
    }

    override public var hash: Int { certificate.hash }

    override public var description: String {
        "<SecIdentity \(certificate.certificate.summary ?? "without a name")>"
    }
}
