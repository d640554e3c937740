import LatchkeyPropertyListDER

extension ItemSchema {
    /// Reference 5.4.
    package static let certificate = ItemSchema(
        .certificate,
        [
            Attribute(.certificateType, .number, key: true, default: .integer(0)),
            Attribute(.certificateEncoding, .number),
            Attribute(.label, .blob),
            Attribute(.alias, .blob),
            Attribute(.subject, .data),
            Attribute(.issuer, .data, key: true, default: .data([])),
            Attribute(.serialNumber, .data, key: true, default: .data([])),
            Attribute(.subjectKeyID, .data),
            Attribute(.publicKeyHash, .data),
        ] + ofEveryClass)

    /// Reference 5.5. `toid`, the object of a token, has no column: it is stored in the row's data.
    package static let key = ItemSchema(
        .key,
        [
            Attribute(.keyClass, .number, key: true, default: .integer(0)),
            Attribute(.label, .blob),
            Attribute(.alias, .blob),
            Attribute(.isPermanent, .number),
            Attribute(.isPrivate, .number),
            Attribute(.isModifiable, .number),
            Attribute(.applicationLabel, .data, key: true, default: .data([])),
            Attribute(.applicationTag, .blob, key: true, default: .string("")),
            Attribute(.creator, .number, key: true, default: .integer(0)),
            Attribute(.type, .number, key: true, default: .integer(0)),
            Attribute(.keySizeInBits, .number, key: true, default: .integer(0)),
            Attribute(.effectiveKeySize, .number, key: true, default: .integer(0)),
            Attribute(.startDate, .date, key: true, default: .date(0)),
            Attribute(.endDate, .date, key: true, default: .date(0)),
        ] + flagsOfKeys.map { Attribute($0, .number) } + ofEveryClass)

    /// The attributes for a key's secrecy and permitted uses.
    private static let flagsOfKeys: [AttributeName] = [
        .isSensitive, .wasAlwaysSensitive, .isExtractable, .wasNeverExtractable, .canEncrypt, .canDecrypt, .canDerive,
        .canSign, .canVerify, .canSignRecover, .canVerifyRecover, .canWrap, .canUnwrap,
    ]

    /// The attributes of both classes that an identity takes from its certificate (Reference 5.6).
    private static let certificateSide: Set<AttributeName> = [.label, .issuer, .serialNumber, .subjectKeyID, .tokenID]

    /// Returns the class whose rows an attribute of a query refers to: for identities the certificate or the key,
    /// otherwise `itemClass`. Nil if the class does not have the attribute.
    static func home(of attribute: AttributeName, in itemClass: ItemClass) -> (
        itemClass: ItemClass, attribute: Attribute
    )? {
        if itemClass == .identity {
            if !certificateSide.contains(attribute), let found = key[attribute] { return (.key, found) }
            return certificate[attribute].map { (.certificate, $0) }
        }
        return of(itemClass)?[attribute].map { (itemClass, $0) }
    }
}
