package import LatchkeyAsymmetricKeys
package import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// The attributes of a key as an item of class `keys` (Reference 9.6), without its class and its data. Flags are
/// numbers, as in a row.
package enum KeyAttributes {
    package static let publicClass: Int64 = 0
    package static let privateClass: Int64 = 1
    /// `kSecAttrTokenIDSecureEnclave`.
    package static let enclaveToken = "com.apple.setoken"

    /// Everything that a new item of the key gets where the caller says nothing.
    package static func ofNewItem(_ key: PublicKey) -> [AttributeName: PropertyValue] {
        newItem(
            key.kind, label: key.digest, keyClass: publicClass,
            can: key.kind.type == .rsa ? rsaPublic : ellipticPublic)
    }

    package static func ofNewItem(_ key: PrivateKey) -> [AttributeName: PropertyValue] {
        newItem(
            key.publicKey.kind, label: key.publicKey.digest, keyClass: privateClass,
            can: key.publicKey.kind.type == .rsa ? rsaPrivate : ellipticPrivate)
    }

    /// A private key of P-256 that lives in the enclave: not extractable, with its token.
    /// - Parameter label: the SHA-1 of its public point.
    package static func ofNewEnclaveItem(label: [UInt8]) -> [AttributeName: PropertyValue] {
        var attributes = newItem(
            .ellipticCurve(.p256), label: label, keyClass: privateClass, can: ellipticPrivate)
        for name: AttributeName in [.isSensitive, .wasAlwaysSensitive, .wasNeverExtractable] {
            attributes[name] = .integer(1)
        }
        attributes[.isExtractable] = .integer(0)
        attributes[.tokenID] = .string(enclaveToken)
        return attributes
    }

    /// The attributes that a search for the key names: class, label, type and size; no usage flags, so that it finds an
    /// item with other flags (Reference 6.9).
    package static func ofSearch(_ key: PublicKey, keyClass: Int64) -> [AttributeName: PropertyValue] {
        ofSearch(key.kind, label: key.digest, keyClass: keyClass)
    }

    private static func ofSearch(
        _ kind: KeyKind, label: [UInt8], keyClass: Int64
    ) -> [AttributeName: PropertyValue] {
        [
            .keyClass: .integer(keyClass), .applicationLabel: .data(label), .type: .integer(kind.type.rawValue),
            .keySizeInBits: .integer(Int64(kind.sizeInBits)),
        ]
    }

    private static let usages: [AttributeName] = [
        .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap,
        .canUnwrap,
    ]
    private static let ellipticPrivate: Set<AttributeName> = [.canDecrypt, .canDerive, .canSign, .canUnwrap]
    private static let ellipticPublic: Set<AttributeName> = [.canEncrypt, .canVerify, .canWrap]
    private static let rsaPrivate: Set<AttributeName> = [.canDecrypt, .canSign, .canUnwrap]
    /// That they decrypt is what Apple's keys say.
    private static let rsaPublic: Set<AttributeName> = [.canEncrypt, .canDecrypt, .canVerify, .canWrap]

    private static func newItem(
        _ kind: KeyKind, label: [UInt8], keyClass: Int64, can usages: Set<AttributeName>
    ) -> [AttributeName: PropertyValue] {
        var attributes = ofSearch(kind, label: label, keyClass: keyClass)
        attributes[.effectiveKeySize] = attributes[.keySizeInBits]
        for name in Self.usages { attributes[name] = .integer(usages.contains(name) ? 1 : 0) }
        // Public keys are private too: that is how Apple's keys are.
        for name: AttributeName in [.isPermanent, .isPrivate, .isModifiable, .isExtractable] {
            attributes[name] = .integer(1)
        }
        for name: AttributeName in [.isSensitive, .wasAlwaysSensitive, .wasNeverExtractable] {
            attributes[name] = .integer(0)
        }
        return attributes
    }
}
