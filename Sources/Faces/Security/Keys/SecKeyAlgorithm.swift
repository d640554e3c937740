public import Foundation
import LatchkeyAsymmetricKeys

/// An operation with a key, under Apple's name.
///
/// Sendable because the text is never changed.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: CFString
    /// The algorithm that the text names; nil for an unknown text. Looked up once.
    let algorithm: KeyAlgorithm?

    public init(rawValue: CFString) {
        let name = rawValue.wellFormed
        // A copy: the program's own object might be a mutable one.
        self.rawValue = NSString(string: name)
        algorithm = KeyAlgorithm(name: name)
    }

    init(_ name: String) { self.init(rawValue: NSString(string: name)) }

    public static func == (one: SecKeyAlgorithm, other: SecKeyAlgorithm) -> Bool { one.rawValue == other.rawValue }

    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
