public import Foundation
import LatchkeyRNCryptorFormat

extension RNCryptor {
    /// A decryptor for version 3 alone, with a password or with keys.
    ///
    /// After `finalData()` or `decrypt(data:)`, and after an error, every call throws.
    public final class DecryptorV3: RNCryptorType {
        private let opening: Opening

        /// - parameter password: An empty one opens no message.
        public init(password: String) {
            opening = Opening(.password(Secret.box(password)), versions: [.three])
        }

        /// - parameters:
        ///     - encryptionKey: 32 bytes (`FormatV3.keySize`), for AES
        ///     - hmacKey: 32 other bytes. Another size is a programming error and traps.
        public init(encryptionKey: Data, hmacKey: Data) {
            opening = Opening(.keys(Secret.keys(encryptionKey, hmacKey)), versions: [.three])
        }

        /// Returns the plaintext of this message. Decrypts only an authentic message.
        public func decrypt(data: Data) throws -> Data {
            try opening.whole(data, ifEmpty: .messageTooShort)
        }

        /// Takes the next piece of the message and returns available plaintext, which is **not authenticated yet**.
        public func update(withData data: Data) throws -> Data {
            try opening.update(data)
        }

        /// Authenticates the message and returns the rest of the plaintext.
        public func finalData() throws -> Data {
            try opening.finish(ifEmpty: .messageTooShort)
        }
    }
}
