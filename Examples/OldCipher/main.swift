// An old way to encrypt, and what to write today. Run it with LATCHKEY_CRYPTO_FINDINGS=stderr to read what is wrong about
// the first (Docs/Manual/Misuse.md).

import CommonCrypto
import Foundation

/// As found in many programs: the password is the key, and there is no first block.
func encryptAsOnceUsual(_ text: String, password: String) -> [UInt8] {
    let key =
        Array(password.utf8.prefix(kCCKeySizeAES128)) + Array(repeating: 0, count: max(0, 16 - password.utf8.count))
    let input = Array(text.utf8)
    var output = [UInt8](repeating: 0, count: input.count + kCCBlockSizeAES128)
    var count = 0
    CCCrypt(
        CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding), key, key.count, nil,
        input, input.count, &output, output.count, &count)
    return Array(output.prefix(count))
}

func drawn(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard CCRandomGenerateBytes(&bytes, count) == kCCSuccess else { return [] }
    return bytes
}

/// Two keys from one password.
func keys(password: String, salt: [UInt8]) -> (encryption: [UInt8], authentication: [UInt8]) {
    var both = [UInt8](repeating: 0, count: 64)
    CCKeyDerivationPBKDF(
        CCPBKDFAlgorithm(kCCPBKDF2), password, password.utf8.count, salt, salt.count,
        CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256), 600_000, &both, both.count)
    return (Array(both.prefix(32)), Array(both.suffix(32)))
}

/// Salt, IV, ciphertext, code.
func encrypt(_ text: String, password: String) -> [UInt8] {
    let (salt, iv) = (drawn(16), drawn(kCCBlockSizeAES128))
    let keys = keys(password: password, salt: salt)
    let input = Array(text.utf8)
    var output = [UInt8](repeating: 0, count: input.count + kCCBlockSizeAES128)
    var count = 0
    CCCrypt(
        CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding), keys.encryption, 32,
        iv,
        input, input.count, &output, output.count, &count)
    let message = salt + iv + output.prefix(count)
    var code = [UInt8](repeating: 0, count: 32)
    CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), keys.authentication, 32, message, message.count, &code)
    return message + code
}

let texts = ["attack at dawn, with the horses", "attack at dawn, with the boats"]
print("the same password, and texts that begin alike:")
for text in texts {
    let bytes = encryptAsOnceUsual(text, password: "hunter2")
    print("  once usual:", bytes.prefix(16).map { String($0, radix: 16) }.joined(separator: " "))
}
for text in texts {
    let bytes = encrypt(text, password: "hunter2")
    print("  today:     ", bytes.dropFirst(32).prefix(16).map { String($0, radix: 16) }.joined(separator: " "))
}
