public import Foundation

extension RNCryptor {
    /// Encrypts with a password in the newest version of the format.
    ///
    /// Using it after `finalData()` or `encrypt(data:)` is a mistake of the program, which ends.
    public final class Encryptor: RNCryptorType {
        private let encryptor: EncryptorV3

        /// - parameter password: Not empty: that would be a mistake of the program, which ends.
        public init(password: String) {
            encryptor = EncryptorV3(password: password)
        }

        /// Takes the next piece of plaintext and returns what is ready of the message.
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
