public import Foundation

/// An encryptor or decryptor that processes data in pieces, with a password.
///
///     var result = Data()
///     for piece in pieces { result.append(try cryptor.update(withData: piece)) }
///     result.append(try cryptor.finalData())
///
/// A decryptor returns plaintext before it has seen the end of the message, where its authentication code is. Do not
/// act on that plaintext until `finalData()` has returned; if it throws, discard all of it.
public protocol RNCryptorType {
    /// Makes a cryptor with a password, which must not be empty.
    init(password: String)

    /// Takes the next piece, of any size and possibly empty, and returns available output, possibly empty.
    func update(withData data: Data) throws -> Data

    /// Returns the rest. The cryptor cannot be used afterwards.
    func finalData() throws -> Data
}
