import Foundation
import LatchkeyCryptoMisuse

/// Whose code a function is.
///
/// A method that an app adds to a type of another module has that module in front of its mangled name, and is the app's
/// nevertheless: its readable name says so.
package enum SymbolOwner {
    /// The module whose source has the function; nil for functions of C.
    package static func module(_ mangled: String) -> Substring? {
        guard mangled.hasPrefix("$s") else { return nil }
        if let readable = SymbolName.readable(mangled), let context = readable.range(of: "(extension in "),
            let end = readable[context.upperBound...].firstIndex(of: ")")
        {
            return readable[context.upperBound..<end]
        }
        let rest = mangled.dropFirst(2)
        // "s" is the module of the standard library, "S" and a letter one of its types.
        if rest.hasPrefix("s") || rest.hasPrefix("S") { return "Swift" }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), count > 0 else { return nil }
        return rest.dropFirst(digits.count).prefix(count)
    }

    /// Returns true if it is Latchkey's, or of a library that calls closures it was given.
    package static func isOurs(_ mangled: String) -> Bool {
        guard let module = module(mangled) else {
            return functions.contains { mangled.hasPrefix($0) }
        }
        return ownModules.contains(String(module)) || libraries.contains(String(module))
    }

    /// Returns true if it is of Foundation or of Swift's standard library, where `==` of a `Data` and a `String` is.
    package static func isOfValues(_ mangled: String) -> Bool {
        guard let module = module(mangled) else { return false }
        return ["Foundation", "FoundationEssentials", "Swift"].contains(module)
    }

    /// Those of `CommonCrypto` are C.
    private static let functions = [
        "CCCrypt", "CC_", "CCHmac", "CCAES", "CCKeyDerivation", "CCDeriveKey", "CCCalibratePBKDF", "CCSymmetric",
        "CCRandomGenerateBytes", "CCDigest", "lk_",
    ]

    /// All of Latchkey's libraries in Swift.
    package static let ownModules: Set<String> = [
        "AppleLog", "AppleNames", "Compression", "CoreFoundation", "CryptoKit", "DataProtection",
        "DataProtectionEvents", "KeychainEvents",
        "LatchkeyAccessControl",
        "LatchkeyAsymmetricKeys",
        "LatchkeyAuditLog", "LatchkeyCertificates", "LatchkeyCodeSignature", "LatchkeyCommandLineTool",
        "LatchkeyCommonCryptoFunctions", "LatchkeyCryptoMisuse", "LatchkeyCryptoSuite", "LatchkeyDatabaseFiles",
        "LatchkeyDevice",
        "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "LatchkeyEnclaveService", "LatchkeyEnclaveStorage",
        "LatchkeyBackupFormat", "LatchkeyBackupItems", "LatchkeyBackupRun", "LatchkeyBinaryPropertyList",
        "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyFileFormat", "LatchkeyItemDatabase",
        "LatchkeyItemModel", "LatchkeyKeyItems", "LatchkeyKeybag", "LatchkeyKeychainMessages",
        "LatchkeyKeychainService", "LatchkeyLocalTransport", "LatchkeyOpenFolders", "LatchkeyPeerIdentity",
        "LatchkeyPlainText",
        "LatchkeyPostQuantumKeys", "LatchkeyPrompt", "LatchkeyPropertyListDER", "LatchkeyRNCryptorFormat",
        "LatchkeySecretMemory", "LatchkeySecurityForC", "LatchkeySensor", "LatchkeyEtcdMessages", "LatchkeyEtcdStore",
        "LatchkeySyncCore",
        "LatchkeySyncIdentity",
        "LatchkeySyncKeys", "LatchkeySyncService", "LatchkeySyncStore", "LatchkeySyncStoreTesting",
        "LatchkeySyncTransport",
        "LatchkeyThreading", "LatchkeyVolume",
        "LatchkeyVolumeMount", "LocalAuthentication", "Lockbox", "ProtectedSQLite", "RNCryptor",
        "Security", "SecurityTesting",
    ]

    private static let libraries: Set<String> = [
        "Crypto", "CryptoBoringWrapper", "Dispatch", "Foundation", "FoundationEssentials", "GRDB",
    ]
}
