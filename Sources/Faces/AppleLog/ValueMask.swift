import Foundation
import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// Codes that stand for values in messages, under a key that this process made and never tells. A child of `fork` makes another.
///
/// Without a key a reader of the log could try all short values.
enum ValueMask {
    private static let key = ProcessOwned { unsafe SecretBox(count: 32) { unsafe SystemEntropy().fill($0) } }

    static func code(of value: String) -> String {
        Data(HMACSHA256.code(over: Array(value.utf8), key: key.object).prefix(16)).base64EncodedString()
    }
}
