package import LatchkeyAccessControl
package import LatchkeyPropertyListDER

/// A query dictionary that has been understood: every value is of its column's kind.
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
    /// Attributes of the class's schema, as stored; of an identity those of both its sides.
    package var attributes: [AttributeName: PropertyValue] = [:]
    package var accessGroup: String?
    /// Groups of which only these items are the caller's.
    package var adoptedItems: [String: AdoptedItems] = [:]
    package var accessible: ProtectionClass?
    package var accessControl: AccessControl?
    /// Nil if the query does not say.
    package var synchronizable: Synchronizability?
    package var creationDate: Double?
    package var modificationDate: Double?
    package var persistentReference: PersistentReference?
    /// `v_Ref` of an add of an identity: dictionaries `cert` and `keys`. Every other reference has become attributes
    /// before it comes here.
    package var reference: PropertyValue?
    /// `toid`: which object of the token `tkid` names.
    package var tokenObject: [UInt8]?
    package var returns: Returns = []
    package var limit: Limit?
    /// `kSecMatchHostOrSubdomainOfHost`.
    package var hostOrSubdomain: String?
    /// `kSecMatchIssuers`: DER names as they were given, one of which must be above the certificate. Empty: any issuer.
    /// This and the next four are set in finds of certificates and identities alone.
    package var issuers: [[UInt8]] = []
    /// `kSecMatchPolicy`: the DER of the policy that the certificate must fulfil.
    package var policy: [UInt8]?
    package var validOn: Moment?
    package var isTrustedOnly = false
    /// `kSecMatchEmailAddressIfPresent`.
    package var emailAddress: String?
    /// The index of `v_Data` among the request's secrets.
    package var dataSecret: Int?
    package var authenticationUI: AuthenticationUI = .allow
    /// `kSecUseOperationPrompt`: why the program asks.
    package var operationPrompt: String?
    /// Whether `kSecUseAuthenticationContext` is there; the context itself comes beside the query.
    package var namesContext = false
    /// `kSecUseTombstones`: false deletes synchronizable items without a trace.
    package var leavesTombstones = true
    /// True if the query asks for `tomb` = 1, which no caller may see.
    package var asksForTombstones = false

    package init(itemClass: ItemClass) {
        self.itemClass = itemClass
    }

    /// Whether certificates have to be opened and looked into before they count.
    package var matchesCertificates: Bool {
        !issuers.isEmpty || policy != nil || validOn != nil || isTrustedOnly || emailAddress != nil
    }
}

/// The second dictionary of an update, understood.
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
