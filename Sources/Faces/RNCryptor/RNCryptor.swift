public import Foundation
import LatchkeyCryptoSuite

/// Encrypts and decrypts data in the RNCryptor format, with the names of the library RNCryptor 5 for Swift.
public enum RNCryptor {
    /// Why data was not decrypted.
    public enum Error: Int, Swift.Error {
        /// The password or key is another, or the message was altered or cut: these cannot be told apart.
        case hmacMismatch = 1

        /// The first byte is of no version that is read.
        case unknownHeader = 2

        /// The message ended before its header did.
        case messageTooShort = 3

        /// Thrown by nothing here; part of the library's list.
        case memoryFailure = 4

        /// A message of keys was given a password, or the other way round; or the password is empty.
        case invalidCredentialType = 5
    }

    /// A message of the newest version, which is 3.
    ///
    /// - parameter password: Not empty: that would be a mistake of the program, which ends.
    public static func encrypt(data: Data, withPassword password: String) -> Data {
        Encryptor(password: password).encrypt(data: data)
    }

    /// The plaintext of a message of version 1, 2 or 3. Nothing is decrypted unless the message is authentic.
    public static func decrypt(data: Data, withPassword password: String) throws -> Data {
        try Decryptor(password: password).decrypt(data: data)
    }

    /// Random bytes from the kernel.
    public static func randomData(ofLength length: Int) -> Data {
        var data = Data(count: length)
        unsafe data.withUnsafeMutableBytes { unsafe SystemEntropy().fill($0) }
        return data
    }
}
