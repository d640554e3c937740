package import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// One password as a file of another program holds it, on its way into the keychain.
package struct ImportedPassword: Sendable {
    package enum Place: Sendable, Equatable {
        case server(name: String, protocolCode: String?, port: UInt16?, path: String, realm: String)
        case service(String)
    }

    package let place: Place
    package let account: String
    package let label: String
    package let comment: String
    package let secret: SecretBox
    /// The attributes in an export of this tool beside the columns of other programs.
    package let carried: CarriedAttributes?

    package init(
        place: Place, account: String, label: String = "", comment: String = "", secret: SecretBox,
        carried: CarriedAttributes? = nil
    ) {
        self.place = place
        self.account = account
        self.label = label
        self.comment = comment
        self.secret = secret
        self.carried = carried
    }

    package var itemClass: String { carried?.itemClass ?? plainClass }

    private var plainClass: String {
        switch place {
        case .server: InternetDescription.itemClass
        case .service: GenericDescription.itemClass
        }
    }

    /// The complete primary key of the item.
    package var primaryKey: [QueryPair] {
        let isInternet = itemClass == InternetDescription.itemClass
        let key = isInternet ? InternetDescription.primaryKey : GenericDescription.primaryKey
        let found = itemAttributes
        return key.map { QueryPair($0.name, found[$0.name] ?? $0.value) }
    }

    /// Everything but the secret, and the protection class if it is the usual one. Parts of the primary key that have their
    /// default stay out.
    package var attributes: [QueryPair] {
        itemAttributes.filter { $0.key != .synchronizable }.sorted { $0.key < $1.key }.map {
            QueryPair($0.key, $0.value)
        }
    }

    package var isSynchronizable: Bool { [.integer(1), .boolean(true)].contains(itemAttributes[.synchronizable]) }

    /// True if its own attributes say when it can be used.
    package var namesProtection: Bool { itemAttributes[.accessible] != nil || itemAttributes[.accessControl] != nil }

    private var itemAttributes: [AttributeName: PropertyValue] {
        carried?.applied(to: plainAttributes) ?? plainAttributes
    }

    /// The attributes that the columns of other programs make.
    var plainAttributes: [AttributeName: PropertyValue] {
        var found: [AttributeName: PropertyValue] = [.account: .string(account), .comment: .string(comment)]
        let name: String
        switch place {
        case .service(let service):
            name = service
            found[.service] = .string(service)
        case .server(let server, let protocolCode, let port, let path, let realm):
            name = server
            found[.server] = .string(server)
            found[.protocol] = protocolCode.map(PropertyValue.string)
            found[.port] = .integer(Int64(port ?? 0))
            found[.path] = .string(path)
            found[.securityDomain] = .string(realm)
            found[.authenticationType] = .string(realm.isEmpty ? "" : "http")
        }
        found[.label] = .string(label.isEmpty ? name : label)
        return found.filter { $0.value != .string("") && $0.value != .integer(0) }
    }
}
