public import Foundation

// The names of the library's versions for Objective-C, as Swift imported them. The messages are the same: version 3.

/// The settings of version 3, which has no others.
@available(*, deprecated, message: "Version 3 has one set of settings: call RNCryptor.encrypt(data:withPassword:).")
public struct RNCryptorSettings: Sendable {
    fileprivate init() {}
}

@available(*, deprecated, message: "Version 3 has one set of settings: call RNCryptor.encrypt(data:withPassword:).")
public let kRNCryptorAES256Settings = RNCryptorSettings()

/// Encryption of whole messages under the older name.
@available(*, deprecated, message: "Use RNCryptor.encrypt(data:withPassword:) or RNCryptor.EncryptorV3.")
public enum RNEncryptor {
    /// - Throws: `invalidCredentialType` for an empty password.
    public static func encryptData(
        _ data: Data, with settings: RNCryptorSettings, password: String
    ) throws -> Data {
        guard !password.isEmpty else { throw RNCryptor.Error.invalidCredentialType }
        return RNCryptor.encrypt(data: data, withPassword: password)
    }

    /// - Throws: `invalidCredentialType` for an empty password.
    public static func encryptData(
        _ data: Data, withSettings settings: RNCryptorSettings, password: String
    ) throws -> Data {
        try encryptData(data, with: settings, password: password)
    }

    /// - Throws: `invalidCredentialType` for keys that do not have 32 bytes.
    public static func encryptData(
        _ data: Data, with settings: RNCryptorSettings, encryptionKey: Data, hmacKey: Data
    ) throws -> Data {
        try RNCryptor.checkKeys(encryptionKey, hmacKey)
        return RNCryptor.EncryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey).encrypt(data: data)
    }

    /// - Throws: `invalidCredentialType` for keys that do not have 32 bytes.
    public static func encryptData(
        _ data: Data, withSettings settings: RNCryptorSettings, encryptionKey: Data, hmacKey: Data
    ) throws -> Data {
        try encryptData(data, with: settings, encryptionKey: encryptionKey, hmacKey: hmacKey)
    }
}

/// Decryption of whole messages under the older name.
@available(*, deprecated, message: "Use RNCryptor.decrypt(data:withPassword:) or RNCryptor.DecryptorV3.")
public enum RNDecryptor {
    public static func decryptData(_ data: Data, withPassword password: String) throws -> Data {
        try RNCryptor.decrypt(data: data, withPassword: password)
    }

    public static func decryptData(
        _ data: Data, with settings: RNCryptorSettings, password: String
    ) throws -> Data {
        try RNCryptor.decrypt(data: data, withPassword: password)
    }

    public static func decryptData(
        _ data: Data, withSettings settings: RNCryptorSettings, password: String
    ) throws -> Data {
        try RNCryptor.decrypt(data: data, withPassword: password)
    }

    /// - Throws: `invalidCredentialType` for keys that do not have 32 bytes.
    public static func decryptData(_ data: Data, withEncryptionKey encryptionKey: Data, hmacKey: Data) throws -> Data {
        try RNCryptor.checkKeys(encryptionKey, hmacKey)
        return try RNCryptor.DecryptorV3(encryptionKey: encryptionKey, hmacKey: hmacKey).decrypt(data: data)
    }

    /// - Throws: `invalidCredentialType` for keys that do not have 32 bytes.
    public static func decryptData(
        _ data: Data, with settings: RNCryptorSettings, encryptionKey: Data, hmacKey: Data
    ) throws -> Data {
        try decryptData(data, withEncryptionKey: encryptionKey, hmacKey: hmacKey)
    }
}

extension RNCryptor {
    fileprivate static func checkKeys(_ keys: Data...) throws {
        guard keys.allSatisfy({ $0.count == FormatV3.keySize }) else { throw Error.invalidCredentialType }
    }
}
