public import Foundation
import LatchkeyRNCryptorFormat

extension RNCryptor {
    /// Decrypts messages of version 3 alone, with a password or with keys.
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
        ///     - hmacKey: 32 other bytes. Another size is a mistake of the program, which ends.
        public init(encryptionKey: Data, hmacKey: Data) {
            opening = Opening(.keys(Secret.keys(encryptionKey, hmacKey)), versions: [.three])
        }

        /// The plaintext of this message. Nothing is decrypted unless the message is authentic.
        public func decrypt(data: Data) throws -> Data {
            try opening.whole(data, ifEmpty: .messageTooShort)
        }

        /// Takes the next piece of the message and returns what is ready of the plaintext, which is **not checked yet**.
        public func update(withData data: Data) throws -> Data {
            try opening.update(data)
        }

        /// Checks the message and returns the rest of the plaintext.
        public func finalData() throws -> Data {
            try opening.finish(ifEmpty: .messageTooShort)
        }
    }
}
