public import Foundation
import LatchkeyRNCryptorFormat

extension RNCryptor {
    /// Decrypts messages of a password, in any version that is read: 3, and also 2 and 1.
    ///
    /// After `finalData()` or `decrypt(data:)`, and after an error, every call throws.
    public final class Decryptor: RNCryptorType {
        private let opening: Opening

        /// - parameter password: An empty one opens no message.
        public init(password: String) {
            opening = Opening(.password(Secret.box(password)), versions: MessageHeader.Version.allCases)
        }

        /// The plaintext of this message. Nothing is decrypted unless the message is authentic.
        public func decrypt(data: Data) throws -> Data {
            try opening.whole(data, ifEmpty: .unknownHeader)
        }

        /// Takes the next piece of the message and returns what is ready of the plaintext, which is **not checked yet**.
        public func update(withData data: Data) throws -> Data {
            try opening.update(data)
        }

        /// Checks the message and returns the rest of the plaintext.
        public func finalData() throws -> Data {
            try opening.finish(ifEmpty: .unknownHeader)
        }
    }
}
