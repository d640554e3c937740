import CLatchkeyBenchPeers
import CommonCrypto
import Foundation
import RNCryptor

/// A program that encrypts, in a process of its own.
///
/// Commands: `cc-aes-cbc COUNT BYTES`, `cc-sha256 COUNT BYTES`, `cc-hmac COUNT BYTES` and `bare-aes-cbc COUNT BYTES` do so
/// many messages; `seal MIB` and `open MIB` run RNCryptor with keys over so many mebibytes, `bare-seal MIB` and `bare-open MIB`
/// libcrypto alone; `password BYTES` encrypts and decrypts with a password.
final class CryptoClient {
    private static let pieceByteCount = 64 << 10
    private static let pieces = (1 << 20) / pieceByteCount

    private let key = Data((0..<32).map { UInt8($0) })
    private let authenticationKey = Data((0..<32).map { UInt8(100 + $0) })
    private let iv = [UInt8](repeating: 7, count: 16)
    private let piece = Data((0..<pieceByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    func serve() {
        Worker.serve { words in
            let numbers = words.compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("cc-aes-cbc", 2): return try self.encrypt(numbers[0], byteCount: numbers[1])
            case ("cc-sha256", 2): return try self.digest(numbers[0], byteCount: numbers[1])
            case ("cc-hmac", 2): return try self.authenticate(numbers[0], byteCount: numbers[1])
            case ("bare-aes-cbc", 2): return try self.encryptBare(numbers[0], byteCount: numbers[1])
            case ("seal", 1): return try self.seal(mebibytes: numbers[0])
            case ("open", 1): return try self.open(mebibytes: numbers[0])
            case ("bare-seal", 1): return try self.run(mebibytes: numbers[0], encrypting: true)
            case ("bare-open", 1): return try self.run(mebibytes: numbers[0], encrypting: false)
            case ("password", 1): return try self.usePassword(byteCount: numbers[0])
            default: throw Failure("unknown command")
            }
        }
    }

    /// Each message with padding, from the beginning.
    private func encrypt(_ count: Int, byteCount: Int) throws -> UInt64 {
        let message = [UInt8](repeating: 1, count: byteCount)
        let keyBytes = Array(key)
        var output = [UInt8](repeating: 0, count: byteCount + kCCBlockSizeAES128)
        var (moved, failures) = (0, 0)
        let time = nanoseconds {
            for _ in 0..<count {
                let status = CCCrypt(
                    CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding), keyBytes,
                    keyBytes.count, iv, message, message.count, &output, output.count, &moved)
                if status != CCCryptorStatus(kCCSuccess) { failures += 1 }
            }
        }
        guard failures == 0, moved == (byteCount / 16 + 1) * 16 else { throw Failure("CCCrypt gave \(moved) bytes") }
        return time
    }

    private func encryptBare(_ count: Int, byteCount: Int) throws -> UInt64 {
        let message = [UInt8](repeating: 1, count: byteCount)
        let keyBytes = Array(key)
        var output = [UInt8](repeating: 0, count: byteCount + 16)
        var written: Int32 = 0
        let time = nanoseconds {
            written = lkb_encrypt_messages(keyBytes, iv, message, message.count, &output, count)
        }
        guard Int(written) == (byteCount / 16 + 1) * 16 else { throw Failure("libcrypto gave \(written) bytes") }
        return time
    }

    private func digest(_ count: Int, byteCount: Int) throws -> UInt64 {
        let message = [UInt8](repeating: 1, count: byteCount)
        var output = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        let time = nanoseconds {
            for _ in 0..<count { _ = CC_SHA256(message, CC_LONG(message.count), &output) }
        }
        guard output.contains(where: { $0 != 0 }) else { throw Failure("CC_SHA256 gave nothing") }
        return time
    }

    private func authenticate(_ count: Int, byteCount: Int) throws -> UInt64 {
        let message = [UInt8](repeating: 1, count: byteCount)
        let keyBytes = Array(key)
        var output = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        let time = nanoseconds {
            for _ in 0..<count {
                CCHmac(
                    CCHmacAlgorithm(kCCHmacAlgSHA256), keyBytes, keyBytes.count, message, message.count, &output)
            }
        }
        guard output.contains(where: { $0 != 0 }) else { throw Failure("CCHmac gave nothing") }
        return time
    }

    private func seal(mebibytes: Int) throws -> UInt64 {
        var count = 0
        let time = nanoseconds {
            let encryptor = RNCryptor.EncryptorV3(encryptionKey: key, hmacKey: authenticationKey)
            for _ in 0..<mebibytes * Self.pieces { count += encryptor.update(withData: piece).count }
            count += encryptor.finalData().count
        }
        guard count > mebibytes << 20 else { throw Failure("RNCryptor gave \(count) bytes") }
        return time
    }

    /// The message is made of one piece of ciphertext again and again, which no code fits: what is measured comes before
    /// its end.
    private func open(mebibytes: Int) throws -> UInt64 {
        var count = 0
        let time = try nanoseconds {
            let decryptor = RNCryptor.DecryptorV3(encryptionKey: key, hmacKey: authenticationKey)
            count += try decryptor.update(withData: Data([3, 0] + iv)).count
            for _ in 0..<mebibytes * Self.pieces { count += try decryptor.update(withData: piece).count }
            guard (try? decryptor.finalData()) == nil else { throw Failure("RNCryptor took a forged message") }
        }
        guard count > (mebibytes << 20) - 1024 else { throw Failure("RNCryptor gave \(count) bytes") }
        return time
    }

    private func run(mebibytes: Int, encrypting: Bool) throws -> UInt64 {
        var output = [UInt8](repeating: 0, count: Self.pieceByteCount + 16)
        let (keyBytes, authenticationKeyBytes, input) = (Array(key), Array(authenticationKey), Array(piece))
        var failures = 0
        let time = nanoseconds {
            let sealer = lkb_sealer_new(keyBytes, authenticationKeyBytes, iv, encrypting ? 1 : 0)
            for _ in 0..<mebibytes * Self.pieces where lkb_sealer_run(sealer, input, input.count, &output) != 1 {
                failures += 1
            }
            lkb_sealer_free(sealer)
        }
        guard failures == 0 else { throw Failure("libcrypto refused \(failures) pieces") }
        return time
    }

    private func usePassword(byteCount: Int) throws -> UInt64 {
        let text = Data(repeating: UInt8(ascii: "a"), count: byteCount)
        var back: Data?
        let time = try nanoseconds {
            let message = RNCryptor.encrypt(data: text, withPassword: "correct horse")
            back = try RNCryptor.decrypt(data: message, withPassword: "correct horse")
        }
        guard back == text else { throw Failure("RNCryptor gave something else back") }
        return time
    }
}
