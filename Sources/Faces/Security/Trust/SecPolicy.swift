public import Foundation
package import LatchkeyCertificates

/// The requirements on a certificate. Policies with the same requirements are equal. Immutable, and therefore Sendable.
public final class SecPolicy: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecPolicy.self, name: "SecPolicy")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecPolicy.registration.infoWord
    package let policy: TrustEvaluation.Policy

    package init(_ policy: TrustEvaluation.Policy) {
        self.policy = policy
        super.init()
    }

    override public func isEqual(_ object: Any?) -> Bool {
        (object as? SecPolicy)?.policy == policy
    }

    override public var hash: Int { policy.hashValue }

    override public var description: String {
        switch policy {
        case .basicX509: "<SecPolicy basic X.509>"
        case .ssl(let isServer, let hostName):
            "<SecPolicy SSL \(isServer ? "server" : "client")\(hostName.map { " " + $0 } ?? "")>"
        case .revocation(let flags): "<SecPolicy revocation \(flags)>"
        }
    }
}
