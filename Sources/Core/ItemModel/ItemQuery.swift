package import LatchkeyAccessControl
package import LatchkeyPropertyListDER

/// A parsed query dictionary: every value has the type of its column.
package struct ItemQuery: Sendable {
    package enum Limit: Sendable, Hashable {
        case one
        case all
        case count(Int64)
    }

    package enum Synchronizability: Sendable, Hashable {
        case local
        case synchronizable
        /// `kSecAttrSynchronizableAny`: no filter.
        case any
    }

    package enum AuthenticationUI: Sendable, Hashable {
        case allow
        case fail
        case skip
    }

    /// `kSecMatchValidOnDate`.
    package enum Moment: Sendable, Hashable {
        case now
        /// Seconds since 2001-01-01 00:00:00 UTC.
        case date(Double)
    }

    package struct Returns: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let data = Returns(rawValue: 1)
        package static let attributes = Returns(rawValue: 2)
        package static let reference = Returns(rawValue: 4)
        package static let persistentReference = Returns(rawValue: 8)
    }

    package var itemClass: ItemClass
    /// Attributes of the class's schema, in stored form; for an identity those of its certificate and its key.
    package var attributes: [AttributeName: PropertyValue] = [:]
    package var accessGroup: String?
    /// Access groups in which the caller may use only the given items.
    package var adoptedItems: [String: AdoptedItems] = [:]
    package var accessible: ProtectionClass?
    package var accessControl: AccessControl?
    /// Nil if the query does not name it.
    package var synchronizable: Synchronizability?
    package var creationDate: Double?
    package var modificationDate: Double?
    package var persistentReference: PersistentReference?
    /// The value of `v_Ref` when an identity is added: dictionaries `cert` and `keys`. The caller has already converted
    /// any other reference into attributes.
    package var reference: PropertyValue?
    /// `toid`: the object of the token that `tkid` names.
    package var tokenObject: [UInt8]?
    package var returns: Returns = []
    package var limit: Limit?
    /// `kSecMatchHostOrSubdomainOfHost`.
    package var hostOrSubdomain: String?
    /// `kSecMatchIssuers`: DER names as given. One of them must be above the certificate in its chain. Empty: any
    /// issuer.
    /// This property and the next four are set only in finds of certificates and identities.
    package var issuers: [[UInt8]] = []
    /// `kSecMatchPolicy`: the DER of the policy that the certificate must satisfy.
    package var policy: [UInt8]?
    package var validOn: Moment?
    package var isTrustedOnly = false
    /// `kSecMatchEmailAddressIfPresent`.
    package var emailAddress: String?
    /// The index of `v_Data` among the request's secrets.
    package var dataSecret: Int?
    package var authenticationUI: AuthenticationUI = .allow
    /// `kSecUseOperationPrompt`: the program's reason for asking.
    package var operationPrompt: String?
    /// True if `kSecUseAuthenticationContext` is present. The context itself is sent beside the query.
    package var namesContext = false
    /// `kSecUseTombstones`: if false, deleted synchronizable items leave no tombstone.
    package var leavesTombstones = true
    /// `kSecAttrTombstone`: if true, the query is about tombstones, and else about live items.
    package var asksForTombstones = false

    package init(itemClass: ItemClass) {
        self.itemClass = itemClass
    }

    /// True if certificates must be decrypted and parsed to decide whether they match.
    package var matchesCertificates: Bool {
        !issuers.isEmpty || policy != nil || validOn != nil || isTrustedOnly || emailAddress != nil
    }
}

/// The parsed second dictionary of an update.
package struct ItemChanges: Sendable {
    package var attributes: [AttributeName: PropertyValue] = [:]
    package var accessGroup: String?
    package var accessible: ProtectionClass?
    package var accessControl: AccessControl?
    package var synchronizable: Bool?
    package var creationDate: Double?
    package var dataSecret: Int?

    package init() {}
}
