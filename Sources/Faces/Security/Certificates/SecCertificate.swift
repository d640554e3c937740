public import Foundation
package import LatchkeyCertificates

/// A certificate. Two with the same bytes are equal. Immutable, and therefore Sendable.
public final class SecCertificate: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecCertificate.self, name: "SecCertificate")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecCertificate.registration.infoWord
    package let certificate: Certificate

    package init(_ certificate: Certificate) {
        self.certificate = certificate
        super.init()
    }

    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.certificate == certificate
    }

    override public var hash: Int { certificate.hashValue }

    override public var description: String { "<SecCertificate \(certificate.summary ?? "without a name")>" }
}
