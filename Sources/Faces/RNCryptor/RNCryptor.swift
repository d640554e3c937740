public import Foundation
import LatchkeyCryptoSuite

/// Encryption in the RNCryptor format, with the names of the library RNCryptor 5 for Swift.
public enum RNCryptor {
    /// A reason for not decrypting data.
    public enum Error: Int, Swift.Error {
        /// The password or key is wrong, or the message was altered or cut: these cannot be told apart.
        case hmacMismatch = 1

        /// The first byte is not a supported version.
        case unknownHeader = 2

        /// The message ended within its header.
        case messageTooShort = 3

        /// Never thrown; part of the library's list.
        case memoryFailure = 4

        /// A message of keys was given a password, or the other way round; or the password is empty.
        case invalidCredentialType = 5
    }

    /// Returns a message of the newest version, which is 3.
    ///
    /// - parameter password: Must not be empty; an empty password is a programming error and traps.
    public static func encrypt(data: Data, withPassword password: String) -> Data {
        Encryptor(password: password).encrypt(data: data)
    }

    /// Returns the plaintext of a message of version 1, 2 or 3. Decrypts only an authentic message.
    public static func decrypt(data: Data, withPassword password: String) throws -> Data {
        try Decryptor(password: password).decrypt(data: data)
    }

    /// Returns random bytes from the kernel.
    public static func randomData(ofLength length: Int) -> Data {
        var data = Data(count: length)
        unsafe data.withUnsafeMutableBytes { unsafe SystemEntropy().fill($0) }
        return data
    }
}
