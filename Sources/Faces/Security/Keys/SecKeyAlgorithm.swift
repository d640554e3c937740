public import Foundation
import LatchkeyAsymmetricKeys

/// What is done with a key, by Apple's name for it.
///
/// Sendable because the text is never changed.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: CFString
    /// What the text means; nil for a text that means nothing. Looked up once.
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
