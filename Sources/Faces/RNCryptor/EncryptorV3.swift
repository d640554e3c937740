public import Foundation
import LatchkeyCryptoSuite
import LatchkeyRNCryptorFormat

extension RNCryptor {
    /// An encryptor for version 3 of the format, with a password or with keys.
    ///
    /// Using it after `finalData()` or `encrypt(data:)` is a programming error and traps.
    public final class EncryptorV3: RNCryptorType {
        private var message: MessageEncryptor?

        /// - parameter password: Must not be empty; an empty password is a programming error and traps.
        public init(password: String) {
            message = Self.message(.password(Secret.box(password)))
        }

        /// - parameters:
        ///     - encryptionKey: 32 random bytes (`FormatV3.keySize`), for AES
        ///     - hmacKey: 32 other random bytes. Another size is a programming error and traps.
        public init(encryptionKey: Data, hmacKey: Data) {
            message = Self.message(.keys(Secret.keys(encryptionKey, hmacKey)))
        }

        /// Takes the next piece of plaintext and returns the next piece of the message.
        public func update(withData data: Data) -> Data {
            guard let room = message?.outputByteCount(for: data.count) else { usedAfterEnd() }
            return unsafe Data(atMost: room) { output in
                unsafe data.withUnsafeBytes { unsafe message?.update($0, into: output) ?? 0 }
            }
        }

        /// Returns the rest of the message.
        public func finalData() -> Data {
            guard let ending = message.take() else { usedAfterEnd() }
            return Self.finish(ending)
        }

        /// Returns the whole message of this plaintext.
        public func encrypt(data: Data) -> Data {
            var result = update(withData: data)
            result.append(finalData())
            return result
        }

        private static func message(_ credentials: Credentials) -> MessageEncryptor {
            do {
                return try MessageEncryptor(credentials)
            } catch {
                preconditionFailure("a password is not empty")
            }
        }

        private static func finish(_ message: consuming MessageEncryptor) -> Data {
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: message.finalByteCount, alignment: 8)
            defer { unsafe room.deallocate() }
            let written = unsafe message.finish(into: room)
            return unsafe Data(room[..<written])
        }

        /// Traps, because returning nothing would lose data.
        private func usedAfterEnd() -> Never {
            preconditionFailure("an encryptor was used after its end")
        }
    }
}
