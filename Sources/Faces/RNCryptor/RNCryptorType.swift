public import Foundation

/// Something that takes data in pieces and gives data in pieces: an encryptor or a decryptor of a password.
///
///     var result = Data()
///     for piece in pieces { result.append(try cryptor.update(withData: piece)) }
///     result.append(try cryptor.finalData())
///
/// A decryptor gives plaintext out before it has seen the end of the message, where the proof of its authenticity is.
/// Do not act on that plaintext until `finalData()` has returned; if it throws, throw all of it away.
public protocol RNCryptorType {
    /// A cryptor of a password, which is not empty.
    init(password: String)

    /// Takes the next piece, of any size and perhaps empty, and returns what is ready, perhaps nothing.
    func update(withData data: Data) throws -> Data

    /// Returns the rest. The cryptor is of no use afterwards.
    func finalData() throws -> Data
}
