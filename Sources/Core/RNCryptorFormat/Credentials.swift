import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The password or keys that encrypt and open a message.
package enum Credentials: Sendable {
    /// In UTF-8; never empty.
    case password(SecretBox)
    /// Random bytes, or keys that ``key(password:salt:version:)`` made once for many messages.
    case keys(MessageKeys)

    package static let rounds = 10_000

    package var kind: CredentialKind {
        switch self {
        case .password: .password
        case .keys: .keys
        }
    }

    /// Returns the keys of the message that has this header.
    ///
    /// Takes 40,000 HMAC-SHA1 for a password (some ten milliseconds), nothing for keys.
    package func keys(for header: MessageHeader) throws(MessageFailure) -> MessageKeys {
        switch (self, header.salts) {
        case (.keys(let keys), nil):
            return keys
        case (.password(let password), let salts?):
            return try MessageKeys(
                encryption: Self.key(password: password, salt: salts.encryption, version: header.version),
                authentication: Self.key(password: password, salt: salts.authentication, version: header.version))
        case (.keys, _?), (.password, nil):
            throw .otherCredentials
        }
    }

    /// Derives one key of 32 bytes from a password and a salt: PBKDF2 with HMAC-SHA1 and 10,000 rounds.
    package static func key(
        password: SecretBox, salt: [UInt8], version: MessageHeader.Version = .three
    ) throws(MessageFailure) -> SecretBox {
        guard password.count > 0 else { throw .emptyPassword }
        let bytes = version == .three ? password : password.prefix(oldByteCount(of: password))
        do {
            return try PasswordKey.pbkdf2(
                bytes, salt: salt, rounds: rounds, function: .hmacSHA1, count: MessageKeys.byteCount)
        } catch {
            // The arguments are constants, except for a password or salt beyond libcrypto's limit.
            preconditionFailure("libcrypto derives no key of 32 bytes: \(error)")
        }
    }

    /// Returns the password's length in versions 1 and 2: as many bytes of the UTF-8 text as the text has UTF-16 units.
    ///
    /// A text of ASCII is not cut. For bytes that are not UTF-8 there is no right result; it is never longer.
    private static func oldByteCount(of password: SecretBox) -> Int {
        unsafe password.withBytes { bytes in
            var units = 0
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                guard byte & 0xC0 != 0x80 else { continue }
                units += byte >= 0xF0 ? 2 : 1
            }
            return min(units, bytes.count)
        }
    }
}
