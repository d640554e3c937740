public import Foundation

extension RNCryptor {
    /// An encryptor with a password, for the newest version of the format.
    ///
    /// Using it after `finalData()` or `encrypt(data:)` is a programming error and traps.
    public final class Encryptor: RNCryptorType {
        private let encryptor: EncryptorV3

        /// - parameter password: Must not be empty; an empty password is a programming error and traps.
        public init(password: String) {
            encryptor = EncryptorV3(password: password)
        }

        /// Takes the next piece of plaintext and returns the next piece of the message.
        public func update(withData data: Data) -> Data {
            encryptor.update(withData: data)
        }

        /// Returns the rest of the message.
        public func finalData() -> Data {
            encryptor.finalData()
        }

        /// Returns the whole message of this plaintext.
        public func encrypt(data: Data) -> Data {
            encryptor.encrypt(data: data)
        }
    }
}
