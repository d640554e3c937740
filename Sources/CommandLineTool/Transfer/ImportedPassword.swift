package import LatchkeyKeychainMessages
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

    package init(place: Place, account: String, label: String = "", comment: String = "", secret: SecretBox) {
        self.place = place
        self.account = account
        self.label = label
        self.comment = comment
        self.secret = secret
    }

    package var itemClass: String {
        switch place {
        case .server: "inet"
        case .service: "genp"
        }
    }

    /// What identifies the item, complete.
    package var primaryKey: [QueryPair] {
        switch place {
        case .service(let service):
            [QueryPair("acct", .string(account)), QueryPair("svce", .string(service))]
        case .server(let name, let protocolCode, let port, let path, let realm):
            [
                QueryPair("acct", .string(account)), QueryPair("srvr", .string(name)),
                QueryPair("ptcl", protocolCode.map(PropertyValue.string) ?? .integer(0)),
                QueryPair("port", .integer(Int64(port ?? 0))), QueryPair("path", .string(path)),
                QueryPair("sdmn", .string(realm)), QueryPair("atyp", .string(realm.isEmpty ? "" : "http")),
            ]
        }
    }

    /// Everything but the secret and the protection class. Parts of the primary key that have their default stay out.
    package var attributes: [QueryPair] {
        var pairs = primaryKey.filter { $0.value != .string("") && $0.value != .integer(0) }
        let shownLabel = label.isEmpty ? placeName : label
        if !shownLabel.isEmpty { pairs.append(QueryPair("labl", .string(shownLabel))) }
        if !comment.isEmpty { pairs.append(QueryPair("icmt", .string(comment))) }
        return pairs
    }

    private var placeName: String {
        switch place {
        case .server(let name, _, _, _, _): name
        case .service(let name): name
        }
    }
}

/// What a file holds, and what of it cannot be kept.
package struct ImportedFile: Sendable {
    package var passwords: [ImportedPassword] = []
    /// Sentences for people about what was left out.
    package var notes: [String] = []

    package init() {}
}
