public import Foundation
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory

extension RNCryptor {
    /// The constants of version 3.
    public final class FormatV3 {
        /// Bytes of a key for AES and of a key for HMAC.
        public static let keySize = MessageKeys.byteCount

        /// Bytes of a salt for PBKDF2.
        public static let saltSize = MessageHeader.Salts.byteCount

        /// Derives a key from a password and a salt, by PBKDF2 with 10,000 rounds of HMAC-SHA1.
        ///
        /// - parameter password: Must not be empty; an empty password is a programming error and traps.
        /// - parameter salt: Random, of `saltSize` bytes; kept beside the messages.
        public static func makeKey(forPassword password: String, withSalt salt: Data) -> Data {
            do {
                let key = try Credentials.key(password: Secret.box(password), salt: Array(salt))
                return unsafe key.withBytes { unsafe Data($0) }
            } catch {
                preconditionFailure("no key is made of an empty password")
            }
        }
    }
}
