import LatchkeyPropertyListDER

/// A query of class `idnt` is two queries, one for the certificate and one for the key (Reference 5.6). Their results
/// must be joined: either side alone may have no condition and match every row of its class.
extension ItemQuery {
    /// The conditions on the certificate, as a query of that class. A persistent reference refers to the certificate.
    package var certificateSide: ItemQuery {
        var side = side(.certificate)
        side.persistentReference = persistentReference?.of(.certificate)
        side.accessible = nil
        side.accessControl = nil
        side.creationDate = nil
        side.modificationDate = nil
        side.synchronizable = .any
        side.tokenObject = nil
        return side
    }

    /// The conditions on the key, as a query of that class.
    package var keySide: ItemQuery {
        var side = side(.key)
        // A persistent reference does not restrict the key, not even to keys that are not synchronizable.
        if persistentReference != nil, side.synchronizable == nil { side.synchronizable = .any }
        side.persistentReference = nil
        side.issuers = []
        side.policy = nil
        side.validOn = nil
        side.isTrustedOnly = false
        side.emailAddress = nil
        if side.attributes[.isPrivate] == nil { side.attributes[.isPrivate] = .integer(1) }
        return side
    }

    /// True if the query has a condition on the certificate by which its row can be found.
    package var namesCertificate: Bool {
        persistentReference != nil || attributes.keys.contains { Self.home(of: $0) == .certificate }
    }

    private func side(_ itemClass: ItemClass) -> ItemQuery {
        var side = self
        side.itemClass = itemClass
        side.attributes = attributes.filter { Self.home(of: $0.key) == itemClass }
        return side
    }

    private static func home(of attribute: AttributeName) -> ItemClass? {
        ItemSchema.home(of: attribute, in: .identity)?.itemClass
    }
}

extension StoredItem {
    /// Returns an identity in the form of a find: the attributes of the key and of the certificate. Where both have an
    /// attribute, the certificate's is used (Reference 5.6).
    package static func identity(key: StoredItem, certificate: StoredItem) -> StoredItem {
        var identity = certificate
        identity.itemClass = .identity
        identity.attributes = key.attributes.merging(certificate.attributes) { $1 }
        identity.attributes[.certificateTokenID] = certificate.attributes[.tokenID]
        return identity
    }
}
