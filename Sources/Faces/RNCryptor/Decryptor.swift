public import Foundation
import LatchkeyRNCryptorFormat

extension RNCryptor {
    /// A decryptor with a password for all supported versions: 3, 2 and 1.
    ///
    /// After `finalData()` or `decrypt(data:)`, and after an error, every call throws.
    public final class Decryptor: RNCryptorType {
        private let opening: Opening

        /// - parameter password: An empty one opens no message.
        public init(password: String) {
            opening = Opening(.password(Secret.box(password)), versions: MessageHeader.Version.allCases)
        }

        /// Returns the plaintext of this message. Decrypts only an authentic message.
        public func decrypt(data: Data) throws -> Data {
            try opening.whole(data, ifEmpty: .unknownHeader)
        }

        /// Takes the next piece of the message and returns available plaintext, which is **not authenticated yet**.
        public func update(withData data: Data) throws -> Data {
            try opening.update(data)
        }

        /// Authenticates the message and returns the rest of the plaintext.
        public func finalData() throws -> Data {
            try opening.finish(ifEmpty: .unknownHeader)
        }
    }
}
