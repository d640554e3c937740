import Foundation
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory

/// Strings and data of callers as secrets. Callers have to forget their own copies. A child of `fork` has them, too
/// (`MessageKeys`).
enum Secret {
    static func box(_ password: String) -> SecretBox {
        var password = password
        return password.withUTF8 { unsafe SecretBox(copying: UnsafeRawBufferPointer($0)) }.keptOnFork()
    }

    static func box(_ key: Data) -> SecretBox {
        unsafe key.withUnsafeBytes { unsafe SecretBox(copying: $0) }
    }

    /// - precondition: Both keys have 32 bytes.
    static func keys(_ encryptionKey: Data, _ hmacKey: Data) -> MessageKeys {
        do {
            return try MessageKeys(encryption: box(encryptionKey), authentication: box(hmacKey))
        } catch {
            preconditionFailure("a key has 32 bytes (FormatV3.keySize)")
        }
    }
}

extension Data {
    /// Makes data of at most `count` bytes; `fill` returns the number of bytes it wrote.
    init<E: Error>(
        atMost count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        self.init(count: count)
        let outcome: Result<Int, E> = unsafe withUnsafeMutableBytes { bytes in
            do throws(E) {
                return .success(try unsafe fill(bytes))
            } catch {
                return .failure(error)
            }
        }
        let written = try outcome.get()
        if written < count { removeSubrange(index(startIndex, offsetBy: written)..<endIndex) }
    }
}
