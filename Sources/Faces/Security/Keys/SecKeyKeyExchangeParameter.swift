public import Foundation

/// The keys of the dictionary that a key exchange takes.
///
/// Sendable because the text is never changed.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: CFString

    public init(rawValue: CFString) {
        self.rawValue = NSString(string: rawValue.wellFormed)
    }

    var name: String { rawValue.wellFormed }

    /// The number of bytes of a derivation: a number.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
    /// The public input of a derivation, beside the shared secret: data.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}

/// Lets a dictionary with such keys be bridged to one with texts as keys, as on Apple platforms.
extension SecKeyKeyExchangeParameter: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> CFString { rawValue }

    public static func _forceBridgeFromObjectiveC(_ source: CFString, result: inout SecKeyKeyExchangeParameter?) {
        result = SecKeyKeyExchangeParameter(rawValue: source)
    }

    public static func _conditionallyBridgeFromObjectiveC(
        _ source: CFString, result: inout SecKeyKeyExchangeParameter?
    ) -> Bool {
        result = SecKeyKeyExchangeParameter(rawValue: source)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: CFString?) -> SecKeyKeyExchangeParameter {
        SecKeyKeyExchangeParameter(rawValue: source ?? "")
    }
}
