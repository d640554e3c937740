import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// `kSecUseAuthenticationUI` of a query.
extension QueryPair {
    /// `kSecUseAuthenticationUISkip`: items that ask for a person are left out.
    static let skipsAsking = QueryPair("u_AuthUI", .string("u_AuthUIS"))
    /// `kSecUseAuthenticationUIFail`: a call that would ask for a person is refused.
    static let failsIfAsking = QueryPair("u_AuthUI", .string("u_AuthUIF"))
}
