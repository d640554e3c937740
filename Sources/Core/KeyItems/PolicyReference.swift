package import LatchkeyCertificates
package import LatchkeyPropertyListDER

/// A `SecPolicy` as a query carries it (`kSecMatchPolicy`).
///
/// On the wire a `.reference` whose bytes are a DER list: identifier, host name or null, whether it is about a server,
/// revocation flags.
package enum PolicyReference {
    /// The object identifiers of `kSecPolicyAppleX509Basic`, `kSecPolicyAppleSSL` and `kSecPolicyAppleRevocation`.
    package static let basicX509 = "1.2.840.113635.100.1.2"
    package static let ssl = "1.2.840.113635.100.1.3"
    package static let revocation = "1.2.840.113635.100.1.21"

    private static let kind = "SecPolicy"
    /// No name of the Domain Name System is longer.
    private static let hostNameByteCount = 255

    package static func value(of policy: TrustEvaluation.Policy) -> PropertyValue {
        .reference(kind: kind, bytes: bytes(of: policy))
    }

    package static func bytes(of policy: TrustEvaluation.Policy) -> [UInt8] {
        func list(
            _ identifier: String, host: String? = nil, isServer: Bool = false, flags: UInt = 0
        ) -> [UInt8] {
            let host = host.map { PropertyValue.string($0) } ?? .null
            return DERWriter.encode(
                .array([.string(identifier), host, .boolean(isServer), .integer(Int64(clamping: flags))]))
        }
        return switch policy {
        case .basicX509: list(basicX509)
        case .ssl(let isServer, let host): list(ssl, host: host, isServer: isServer)
        case .revocation(let flags): list(revocation, flags: flags)
        }
    }

    /// Nil for a value that is not a policy.
    package static func policy(_ value: PropertyValue) -> TrustEvaluation.Policy? {
        guard case .reference(kind: kind, let bytes) = value else { return nil }
        return policy(bytes)
    }

    /// Nil for bytes that are not a policy.
    package static func policy(_ bytes: [UInt8]) -> TrustEvaluation.Policy? {
        guard case .array(let list)? = try? DERReader.decode(bytes), list.count == 4,
            case .string(let identifier) = list[0], case .boolean(let isServer) = list[2],
            case .integer(let number) = list[3], let flags = UInt(exactly: number)
        else { return nil }
        let host: String?
        switch list[1] {
        case .null: host = nil
        case .string(let name) where name.utf8.count <= hostNameByteCount: host = name
        default: return nil
        }
        // Exactly one encoding for each policy.
        let policy: TrustEvaluation.Policy
        switch identifier {
        case basicX509: policy = .basicX509
        case ssl: policy = .ssl(isServer: isServer, hostName: host)
        case revocation: policy = .revocation(flags: flags)
        default: return nil
        }
        return self.bytes(of: policy) == bytes ? policy : nil
    }
}
