/// The values of `kSecClass` that queries accept. Identities have no rows of their own: a search joins keys and
/// certificates.
package enum ItemClass: String, Sendable, CaseIterable, Hashable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
    case identity = "idnt"
}
