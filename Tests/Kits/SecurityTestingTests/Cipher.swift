import CommonCrypto
import Foundation
import LatchkeyCommonCryptoFunctions

/// A wrapper around `CCCrypt` as apps have one.
struct Cipher {
    var algorithm = kCCAlgorithmAES
    var mode = kCCModeCBC
    var options = 0
    var key = Data.drawn(32)
    var iv: Data?

    func encrypt(_ message: Data) -> Data? {
        crypt(kCCEncrypt, message)
    }

    func decrypt(_ message: Data) -> Data? {
        crypt(kCCDecrypt, message)
    }

    /// By the cryptor, in the mode.
    func encryptWithCryptor(_ message: Data) -> Data? {
        var cryptor: CCCryptorRef?
        let status = withBytes(key) { key in
            withBytes(iv ?? Data()) { bytes in
                CCCryptorCreateWithMode(
                    CCOperation(kCCEncrypt), CCMode(mode), CCAlgorithm(algorithm), CCPadding(ccNoPadding),
                    iv == nil ? nil : bytes.baseAddress, key.baseAddress, key.count, nil, 0, 0, 0, &cryptor)
            }
        }
        guard status == kCCSuccess, let cryptor else { return nil }
        defer { CCCryptorRelease(cryptor) }
        var output = Data(count: message.count + 16)
        var moved = 0
        let updated = output.withUnsafeMutableBytes { output in
            withBytes(message) { input in
                CCCryptorUpdate(cryptor, input.baseAddress, input.count, output.baseAddress, output.count, &moved)
            }
        }
        return updated == kCCSuccess ? output.prefix(moved) : nil
    }

    private func crypt(_ operation: Int, _ message: Data) -> Data? {
        var output = Data(count: message.count + 16)
        var moved = 0
        let status = output.withUnsafeMutableBytes { output in
            withBytes(key) { key in
                withBytes(iv ?? Data()) { bytes in
                    withBytes(message) { input in
                        CCCrypt(
                            CCOperation(operation), CCAlgorithm(algorithm), CCOptions(options), key.baseAddress,
                            key.count,
                            iv == nil ? nil : bytes.baseAddress, input.baseAddress, input.count, output.baseAddress,
                            output.count, &moved)
                    }
                }
            }
        }
        return status == kCCSuccess ? output.prefix(moved) : nil
    }
}

/// Header, IV, ciphertext and HMAC-SHA-256, as RNCryptor writes them.
struct AuthenticatedBox {
    let encryptionKey: Data
    let hmacKey: Data

    func seal(_ message: Data, iv: Data) -> Data? {
        let cipher = Cipher(options: kCCOptionPKCS7Padding, key: encryptionKey, iv: iv)
        guard let ciphertext = cipher.encrypt(message) else { return nil }
        let body = Data([3, 0]) + iv + ciphertext
        return body + code(body)
    }

    func open(_ message: Data) -> Data? {
        let (body, found) = (message.dropLast(32), message.suffix(32))
        guard isSame(code(body), found) else { return nil }
        return cipher(body).decrypt(Data(body.dropFirst(18)))
    }

    /// Wrong: whether the padding was right shows before the code is looked at.
    func openTooEarly(_ message: Data) -> Data? {
        let (body, found) = (message.dropLast(32), message.suffix(32))
        guard let text = cipher(body).decrypt(Data(body.dropFirst(18))), isSame(code(body), found) else { return nil }
        return text
    }

    /// Code and text side by side, and nothing given out before both are done.
    func openInPieces(_ message: Data) -> Data? {
        let (body, found) = (Data(message.dropLast(32)), message.suffix(32))
        var context = CCHmacContext()
        withBytes(hmacKey) { CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), $0.baseAddress, $0.count) }
        withBytes(body.prefix(18)) { CCHmacUpdate(&context, $0.baseAddress, $0.count) }
        var cryptor: CCCryptorRef?
        withBytes(encryptionKey) { key in
            withBytes(body.dropFirst(2).prefix(16)) { iv in
                _ = CCCryptorCreate(
                    CCOperation(kCCDecrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding),
                    key.baseAddress, key.count, iv.baseAddress, &cryptor)
            }
        }
        guard let cryptor else { return nil }
        defer { CCCryptorRelease(cryptor) }
        var text = Data()
        var piece = Data(count: 32)
        var rest = body.dropFirst(18)
        while !rest.isEmpty {
            let input = Data(rest.prefix(5))
            rest = rest.dropFirst(5)
            withBytes(input) { input in
                CCHmacUpdate(&context, input.baseAddress, input.count)
                var moved = 0
                _ = piece.withUnsafeMutableBytes {
                    CCCryptorUpdate(cryptor, input.baseAddress, input.count, $0.baseAddress, $0.count, &moved)
                }
                text += piece.prefix(moved)
            }
        }
        var moved = 0
        let status = piece.withUnsafeMutableBytes { CCCryptorFinal(cryptor, $0.baseAddress, $0.count, &moved) }
        text += piece.prefix(moved)
        var code = Data(count: 32)
        code.withUnsafeMutableBytes { CCHmacFinal(&context, $0.baseAddress) }
        return status == kCCSuccess && isSame(code, found) ? text : nil
    }

    private func cipher(_ body: Data) -> Cipher {
        Cipher(options: kCCOptionPKCS7Padding, key: encryptionKey, iv: Data(body.dropFirst(2).prefix(16)))
    }

    private func code(_ bytes: Data) -> Data {
        authenticationCode(Data(bytes), key: hmacKey)
    }

    /// Looks at every byte.
    private func isSame(_ one: Data, _ other: Data) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

func authenticationCode(_ message: Data, key: Data) -> Data {
    var code = Data(count: 32)
    code.withUnsafeMutableBytes { code in
        withBytes(key) { key in
            withBytes(message) { message in
                CCHmac(
                    CCHmacAlgorithm(kCCHmacAlgSHA256), key.baseAddress, key.count, message.baseAddress, message.count,
                    code.baseAddress)
            }
        }
    }
    return code
}

func derive(_ function: CCPseudoRandomAlgorithm, salt: Data, rounds: UInt32) {
    var key = Data(count: 32)
    let password = "correct horse"
    _ = key.withUnsafeMutableBytes { key in
        withBytes(salt) { salt in
            CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2), password, password.utf8.count,
                salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count, function, rounds,
                key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
        }
    }
}

private func withBytes<R>(_ data: Data, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    data.withUnsafeBytes { body($0) }
}

extension Data {
    static let message = Data("attack at dawn, attack at dawn!!".utf8)

    /// Random bytes, with nothing that looks like padding or text.
    static func drawn(_ count: Int) -> Data {
        Data((0..<count).map { _ in UInt8.random(in: 0x80...0xBF) })
    }
}
