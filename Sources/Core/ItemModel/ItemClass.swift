/// The values of `kSecClass` that queries accept. Identities have no rows of their own: a search joins keys and
/// certificates.
package enum ItemClass: String, Sendable, CaseIterable, Hashable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
    case identity = "idnt"

    // The case itself, not its text: see ``AttributeName``.
    package func hash(into hasher: inout Hasher) { hasher.combine(ordinal) }

    package static func == (left: ItemClass, right: ItemClass) -> Bool { left.ordinal == right.ordinal }

    private var ordinal: UInt8 { unsafe unsafeBitCast(self, to: UInt8.self) }
}
