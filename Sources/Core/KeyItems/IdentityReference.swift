package import LatchkeyPropertyListDER

/// The parts of an identity that is added: the value of `v_Ref` in an add of class `idnt`. Both are attribute dictionaries
/// with `v_Data`: the certificate's as data, the key's as a secret of the message.
package struct IdentityReference: Sendable, Hashable {
    package let certificate: [String: PropertyValue]
    package let key: [String: PropertyValue]

    package init(certificate: [String: PropertyValue], key: [String: PropertyValue]) {
        self.certificate = certificate
        self.key = key
    }

    package var value: PropertyValue { .dictionary(["cert": .dictionary(certificate), "keys": .dictionary(key)]) }

    package init?(_ value: PropertyValue) {
        guard case .dictionary(let parts) = value, parts.count == 2, case .dictionary(let certificate)? = parts["cert"],
            case .dictionary(let key)? = parts["keys"]
        else { return nil }
        self.init(certificate: certificate, key: key)
    }
}
