import Foundation
import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// Codes that stand for values in messages, under a key that this process made and never tells.
///
/// Without a key a reader of the log could try all short values.
enum ValueMask {
    private static let key = unsafe SecretBox(count: 32) { unsafe SystemEntropy().fill($0) }

    static func code(of value: String) -> String {
        Data(HMACSHA256.code(over: Array(value.utf8), key: key).prefix(16)).base64EncodedString()
    }
}
