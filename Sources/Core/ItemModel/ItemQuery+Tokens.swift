package import LatchkeyPropertyListDER

extension ItemQuery {
    /// True if the database finds rows by an attribute of the query without opening them.
    package func hasToken(_ attribute: AttributeName) -> Bool {
        ItemSchema.home(of: attribute, in: itemClass)?.attribute.hasToken ?? true
    }

    /// True if rows have to be opened to decide whether they match: the query names an attribute without a token.
    package var comparesOpenRows: Bool { attributes.keys.contains { !hasToken($0) } }

    /// The digest (`sha1`) that the items of a class must have; nil for any. That of an identity is its key's.
    package func digest(of itemClass: ItemClass) -> PropertyValue? {
        let home = ItemSchema.home(of: .digest, in: self.itemClass)?.itemClass
        return home == itemClass ? attributes[.digest] : nil
    }
}
