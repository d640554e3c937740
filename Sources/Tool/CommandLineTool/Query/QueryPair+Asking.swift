import LatchkeyItemModel
import LatchkeyPropertyListDER

/// `kSecUseAuthenticationUI` of a query.
extension QueryPair {
    /// `kSecUseAuthenticationUISkip`: items that require authentication are left out.
    static let skipsAsking = QueryPair("u_AuthUI", .string("u_AuthUIS"))
    /// `kSecUseAuthenticationUIFail`: a call that requires authentication is refused.
    static let failsIfAsking = QueryPair("u_AuthUI", .string("u_AuthUIF"))
}
