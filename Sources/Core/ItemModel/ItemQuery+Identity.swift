import LatchkeyPropertyListDER

/// A query of class `idnt` asks two things at once (Reference 5.6). The sides belong together: one of them
/// alone may say nothing, and then every row of its class fits it.
extension ItemQuery {
    /// What the query asks of the certificate, as a query of that class. A persistent reference is the certificate's.
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

    /// What the query asks of the key, as a query of that class.
    package var keySide: ItemQuery {
        var side = side(.key)
        // The reference says nothing of the key, also not that it does not synchronise.
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

    /// Whether the query says anything of the certificate by which its row can be found.
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
    /// An identity as a find shows it: the attributes of the key, with those of the certificate over them where both
    /// have the same (Reference 5.6).
    package static func identity(key: StoredItem, certificate: StoredItem) -> StoredItem {
        var identity = certificate
        identity.itemClass = .identity
        identity.attributes = key.attributes.merging(certificate.attributes) { $1 }
        identity.attributes[.certificateTokenID] = certificate.attributes[.tokenID]
        return identity
    }
}
