// swift-tools-version: 6.2
import PackageDescription

// swift-crypto where `Security` needs it, and with it BoringSSL: a package that wants neither turns the trait off.
let cryptoOfTrait: Target.Dependency = .product(
    name: "Crypto", package: "swift-crypto", condition: .when(traits: ["PostQuantum"]))

let package = Package(
    name: "latchkey",
    products: [
        .library(name: "Security", targets: ["Security", "CoreFoundation"]),
        // Names of Apple's system modules that Linux lacks.
        .library(name: "AppleNames", targets: ["AppleNames"]),
        // Apple's `os` without its locks: a package with a module of that name would change what others compile.
        .library(name: "AppleLog", targets: ["AppleLog"]),
        .library(name: "Compression", targets: ["Compression"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        // The headers and the functions: a module of C that Swift implements.
        .library(name: "CommonCrypto", targets: ["CommonCrypto", "LatchkeyCommonCryptoFunctions"]),
        // The same for C programs: Scripts/link-commoncrypto makes a shared library of it.
        .library(
            name: "CommonCryptoForC", type: .static, targets: ["CommonCrypto", "LatchkeyCommonCryptoFunctions"]),
        // Security for C programs: Scripts/link-security makes a shared library of it.
        .library(
            name: "SecurityForC", type: .static,
            targets: ["Security", "LatchkeySecurityForC", "CLatchkeySecurityBorder"]),
        .library(name: "CryptoKit", targets: ["CryptoKit"]),
        .library(name: "RNCryptor", targets: ["RNCryptor"]),
        .library(name: "Lockbox", targets: ["Lockbox"]),
        .library(name: "DataProtection", targets: ["DataProtection"]),
        .library(name: "DataProtectionEvents", targets: ["DataProtectionEvents"]),
        .library(name: "KeychainEvents", targets: ["KeychainEvents"]),
        .library(name: "ProtectedSQLite", targets: ["ProtectedSQLite"]),
        .library(name: "SecurityTesting", targets: ["SecurityTesting"]),
        .executable(name: "latchkey", targets: ["latchkey"]),
        .executable(name: "latchkeyd", targets: ["latchkeyd"]),
        .executable(name: "latchkey-enclave", targets: ["latchkey-enclave"]),
        .executable(name: "latchkey-volume", targets: ["latchkey-volume"]),
        .executable(name: "latchkey-transport", targets: ["latchkey-transport"]),
        .plugin(name: "codesign", targets: ["LatchkeyCodesign"]),
    ],
    traits: [
        .trait(
            name: "PostQuantum",
            description: "Keys of ML-KEM and ML-DSA. Without it `Security` is compiled without swift-crypto."),
        .default(enabledTraits: ["PostQuantum"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // The first with ML-KEM and ML-DSA.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    ],
    targets: [
        // Floor 0: bytes and memory
        .target(name: "CLatchkeyShims"),
        .systemLibrary(name: "CLatchkeyLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLatchkeySystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "LatchkeySecretMemory", dependencies: ["CLatchkeyShims", "LatchkeyThreading"]),
        .target(
            name: "LatchkeyCryptoSuite", dependencies: ["CLatchkeyLibcrypto", "CLatchkeyShims", "LatchkeySecretMemory"]),
        .target(
            name: "LatchkeyAsymmetricKeys",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyEncoding", "CLatchkeyLibcrypto", "LatchkeySecretMemory",
                "LatchkeyThreading", cryptoOfTrait,
            ]),
        // ML-KEM and ML-DSA, which libcrypto does not have yet.
        .target(
            name: "LatchkeyPostQuantumKeys",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeySecretMemory",
                cryptoOfTrait,
            ]),
        // What of a foreign text may be shown.
        .target(name: "LatchkeyPlainText"),
        // DER, hexadecimal digits, days: one reader of each.
        .target(name: "LatchkeyEncoding"),
        .target(name: "LatchkeyPropertyListDER", dependencies: ["LatchkeyEncoding"]),
        .target(name: "LatchkeyThreading", dependencies: ["CLatchkeyShims"]),
        // Folders that other programs fill: no links, no waiting, no more than a limit.
        .target(name: "LatchkeyOpenFolders", dependencies: ["CLatchkeyShims"]),
        // Reserves the place for a program's signature in everything that is linked with `Security`.
        .target(name: "CLatchkeySignatureNote"),

        // Floor 1: rules and state machines, no input or output
        .target(name: "LatchkeyAccessControl", dependencies: ["LatchkeyEncoding", "LatchkeyPropertyListDER"]),
        .target(
            name: "LatchkeyKeybag",
            dependencies: ["LatchkeyAccessControl", "LatchkeyCryptoSuite", "LatchkeySecretMemory"]),
        // Questions to the enclave and their answers.
        .target(
            name: "LatchkeyEnclaveContract",
            dependencies: ["LatchkeyAccessControl", "LatchkeyCryptoSuite", "LatchkeyKeybag", "LatchkeySecretMemory"]),
        .target(
            name: "LatchkeyEnclaveCore",
            dependencies: [
                "LatchkeyEncoding", "LatchkeyAccessControl", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract",
                "LatchkeyKeybag", "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyItemModel",
            dependencies: ["LatchkeyAccessControl", "LatchkeyEncoding", "LatchkeyPropertyListDER"]),
        // The rules by which items travel between devices.
        .target(
            name: "LatchkeySyncCore",
            dependencies: ["LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeyPropertyListDER"]),
        // The keys with which devices exchange items.
        .target(
            name: "LatchkeySyncKeys",
            dependencies: [
                "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite", "LatchkeyPostQuantumKeys", "LatchkeySecretMemory",
                "LatchkeySyncCore",
            ]),
        // What is wrong about a use of CommonCrypto.
        .target(name: "LatchkeyCryptoMisuse", dependencies: ["CLatchkeyShims", "LatchkeyThreading"]),
        .target(
            name: "LatchkeyRNCryptorFormat",
            dependencies: ["CLatchkeyLibcrypto", "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeySecretMemory"]),
        // One protected file: its bytes, and the order in which they are written.
        .target(
            name: "LatchkeyFileFormat",
            dependencies: ["LatchkeyCryptoSuite", "LatchkeySecretMemory", "LatchkeyThreading", cryptoOfTrait]),
        .target(
            name: "LatchkeyCertificates",
            dependencies: [
                "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite", "LatchkeyEncoding", "CLatchkeyLibcrypto",
                "LatchkeySecretMemory",
            ]),
        // What keys and certificates are as items.
        .target(
            name: "LatchkeyKeyItems",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCertificates", "LatchkeyItemModel",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory",
            ]),
        .target(
            name: "LatchkeyCodeSignature",
            dependencies: [
                "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeyItemModel",
                "LatchkeyPlainText", "LatchkeyPropertyListDER", "LatchkeySecretMemory", "CLatchkeyShims",
            ]),
        .target(
            name: "LatchkeyKeychainMessages",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyCodeSignature", "LatchkeyEnclaveContract", "LatchkeyEncoding",
                "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyBackupItems",
                "LatchkeyPlainText", "LatchkeyPropertyListDER",
                "LatchkeySecretMemory",
                "LatchkeyThreading",
            ]),

        // Floor 2: one outside thing each
        // Files that are open, and the lock that closes them.
        .target(
            name: "LatchkeyFileAccess",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyFileFormat",
                "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        // A folder of protected files: names, directories, attributes, and what a file system does with them.
        .target(
            name: "LatchkeyVolume",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyFileFormat",
                "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeySecretMemory",
                "LatchkeyThreading",
            ]),
        // The kernel's side of it.
        .systemLibrary(name: "CLatchkeyFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        .target(
            name: "LatchkeyVolumeMount",
            dependencies: ["CLatchkeyFuse", "LatchkeySecretMemory", "LatchkeyThreading", "LatchkeyVolume"]),
        // One item of the keychain in a backup.
        .target(
            name: "LatchkeyBackupItems",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeyItemModel",
                "LatchkeyKeyItems", "LatchkeyPropertyListDER", "LatchkeySecretMemory",
            ]),
        // Apple's property lists in the binary form.
        .target(name: "LatchkeyBinaryPropertyList"),
        // Sync of one device: the replica over the item database, the enclave and a store.
        .target(
            name: "LatchkeySyncService",
            dependencies: [
                "LatchkeyBackupItems", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyEncoding",
                "LatchkeyItemDatabase", "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeychainMessages",
                "LatchkeyKeychainService", "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeySyncCore",
                "LatchkeySyncIdentity", "LatchkeySyncKeys", "LatchkeySyncStore", "LatchkeyThreading",
            ]),
        // Backups as folders: their lists, index and payloads.
        .target(
            name: "LatchkeyBackupFormat",
            dependencies: [
                "CLatchkeyShims", "LatchkeyBinaryPropertyList", "LatchkeyCryptoSuite", "LatchkeyEncoding",
                "LatchkeyFileAccess", "LatchkeyKeybag", "LatchkeySecretMemory", "LatchkeyThreading",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        // Backups of items and files: made, verified, restored and rehearsed.
        .target(
            name: "LatchkeyBackupRun",
            dependencies: [
                "LatchkeyBackupFormat", "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract",
                "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyFileFormat",
                "LatchkeyBackupItems",
                "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeySecretMemory",
            ]),
        // Where the devices of a circle leave objects for each other: the port, a folder, and memory.
        .target(
            name: "LatchkeySyncStore",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeyOpenFolders", "LatchkeyPlainText",
                "LatchkeySyncCore", "LatchkeyThreading",
            ]),
        // The bodies of questions to etcd and of its answers.
        .target(name: "LatchkeyEtcdMessages", dependencies: ["LatchkeySecretMemory"]),
        // Loads libcurl when it is needed. The headers are in libcurl4-openssl-dev.
        .target(name: "CLatchkeyCurl"),
        // A store in etcd. Only the transport links it, and with it a client for networks.
        .target(
            name: "LatchkeyEtcdStore",
            dependencies: [
                "CLatchkeyCurl", "LatchkeyEtcdMessages", "LatchkeyPlainText", "LatchkeySecretMemory",
                "LatchkeySyncCore", "LatchkeySyncStore", "LatchkeyThreading",
            ]),
        // What the daemon asks of the process that talks to the store.
        .target(
            name: "LatchkeySyncTransport",
            dependencies: [
                "LatchkeyLocalTransport", "LatchkeyPeerIdentity", "LatchkeyPropertyListDER", "LatchkeySecretMemory",
                "LatchkeySyncCore", "LatchkeySyncStore", "LatchkeyThreading",
            ]),
        // Databases in protected files: a file system for SQLite.
        .target(
            name: "LatchkeyDatabaseFiles",
            dependencies: [
                "CLatchkeyDatabaseLog", "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyFileAccess",
                "LatchkeyFileFormat",
                "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeySecretMemory",
                "LatchkeyThreading",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(
            name: "CLatchkeyDatabaseLog", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")]),
        .target(name: "CLatchkeyItemLog", dependencies: [.product(name: "GRDBSQLite", package: "GRDB.swift")]),
        .target(
            name: "LatchkeyItemDatabase",
            dependencies: [
                "CLatchkeyItemLog", "LatchkeyEncoding", "LatchkeyItemModel", "LatchkeySecretMemory", "LatchkeySyncCore",
                "LatchkeyThreading",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(
            name: "LatchkeyPeerIdentity",
            dependencies: [
                "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeyItemModel",
                "LatchkeyPlainText", "CLatchkeyShims", "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyLocalTransport",
            dependencies: [
                "CLatchkeyShims", "LatchkeyEncoding", "LatchkeyPeerIdentity", "LatchkeySecretMemory",
                "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyAuditLog",
            dependencies: [
                "LatchkeyEncoding", "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyPlainText",
                "LatchkeyPropertyListDER",
                "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyEnclaveStorage",
            dependencies: [
                "LatchkeyEncoding", "LatchkeyAccessControl", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract",
                "LatchkeyEnclaveCore", "LatchkeyKeybag", "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        // The keys of a device in a circle, in its enclave.
        .target(
            name: "LatchkeySyncIdentity",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract",
                "LatchkeyKeybag", "LatchkeySecretMemory", "LatchkeySyncCore", "LatchkeySyncKeys",
            ]),
        .target(
            name: "LatchkeyPrompt",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCodeSignature", "LatchkeyKeychainMessages", "LatchkeyPlainText",
                "LatchkeySecretMemory",
                "LatchkeyThreading",
            ]),

        // Only the enclave has a sensor: nobody else can say that a finger matched.
        .target(
            name: "LatchkeySensor",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "LatchkeyEncoding",
                "CLatchkeyShims", "CLatchkeySystemd",
                "LatchkeyThreading",
            ]),

        // Floor 3: the only place where rules meet the outside
        .target(
            name: "LatchkeyEnclaveService",
            dependencies: [
                "LatchkeyEncoding", "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite",
                "LatchkeyEnclaveContract", "LatchkeyEnclaveCore",
                "LatchkeyEnclaveStorage", "LatchkeyKeybag",
                "LatchkeyPostQuantumKeys", "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyKeychainService",
            dependencies: [
                "LatchkeyEncoding", "LatchkeyAccessControl", "LatchkeyAuditLog",
                "LatchkeyBackupItems",
                "LatchkeyCertificates",
                "LatchkeyCodeSignature", "LatchkeyCryptoSuite",
                "LatchkeyEnclaveContract", "LatchkeyItemDatabase", "LatchkeyItemModel",
                "LatchkeyKeybag", "LatchkeyKeyItems", "LatchkeyKeychainMessages", "LatchkeyPlainText",
                "LatchkeyPropertyListDER",
                "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyDevice",
            dependencies: [
                "LatchkeyEncoding", "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract",
                "LatchkeyEnclaveCore",
                "LatchkeyEnclaveService",
                "LatchkeyEnclaveStorage", "LatchkeyItemModel",
                "LatchkeyKeychainMessages",
                "LatchkeyKeychainService", "LatchkeyLocalTransport", "LatchkeyPeerIdentity", "LatchkeyPrompt",
                "LatchkeyPlainText", "LatchkeyPropertyListDER", "LatchkeySecretMemory",
                "LatchkeyThreading",
            ]),

        // Floor 4: the names of Apple's SDK
        .target(
            name: "Security",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCertificates", "LatchkeyCryptoSuite",
                "LatchkeyDevice", "LatchkeyEncoding", "LatchkeyItemModel", "LatchkeyKeychainMessages",
                "LatchkeyKeyItems", "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeyThreading",
                "CLatchkeySignatureNote",
            ]),
        // The compiler takes a module above one of C for a part of the system, and warns where its own package imports it.
        .target(name: "CoreFoundation", dependencies: ["Security"], packageAccess: false),
        // Names of Apple's other system modules, for programs that ask for them.
        .target(name: "AppleNames", dependencies: ["LatchkeyThreading"]),
        .target(
            name: "AppleLog",
            dependencies: ["LatchkeyCryptoSuite", "LatchkeyPlainText", "LatchkeySecretMemory", "LatchkeyThreading"]),
        .systemLibrary(name: "CLatchkeyZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Compression", dependencies: ["CLatchkeyZlib"]),
        // The same names for C: constants that the linker makes, and functions over untyped pointers.
        .target(name: "CLatchkeySecurityBorder"),
        .target(
            name: "LatchkeySecurityForC",
            dependencies: [
                "CLatchkeySecurityBorder", "LatchkeyAccessControl", "LatchkeyCertificates", "LatchkeyCryptoSuite",
                "LatchkeyThreading", "Security",
            ]),
        .target(
            name: "LocalAuthentication",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyDevice", "LatchkeyEnclaveContract",
                "LatchkeyItemModel",
                "LatchkeyKeychainMessages", "LatchkeySecretMemory", "LatchkeyThreading", "Security",
            ]),

        .target(name: "CommonCrypto"),
        .target(
            name: "LatchkeyCommonCryptoFunctions",
            dependencies: ["CLatchkeyLibcrypto", "CommonCrypto", "LatchkeyCryptoMisuse", "CLatchkeyShims"]),
        .target(
            name: "RNCryptor", dependencies: ["LatchkeyCryptoSuite", "LatchkeyRNCryptorFormat", "LatchkeySecretMemory"]),
        .target(name: "Lockbox", dependencies: ["LatchkeyThreading", "Security"]),
        .target(
            name: "DataProtection",
            dependencies: [
                "LatchkeyDevice", "LatchkeyFileAccess", "LatchkeyFileFormat", "LatchkeyKeybag",
                "LatchkeyKeychainMessages", "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        .target(
            name: "ProtectedSQLite",
            dependencies: [
                "LatchkeyDatabaseFiles", "LatchkeyDevice", "LatchkeyFileAccess", "LatchkeyItemModel", "LatchkeyKeybag",
                "LatchkeyKeychainMessages",
            ]),
        .target(
            name: "DataProtectionEvents",
            dependencies: ["LatchkeyDevice", "LatchkeyKeychainMessages", "LatchkeySecretMemory", "LatchkeyThreading"]),
        .target(
            name: "KeychainEvents",
            dependencies: ["LatchkeyDevice", "LatchkeyKeychainMessages", "LatchkeyThreading"]),
        .target(
            name: "CryptoKit",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyDevice", "LatchkeyEnclaveContract",
                "LatchkeyItemModel",
                "LatchkeyKeychainMessages", "LocalAuthentication",
                "LatchkeySecretMemory", "Security", .product(name: "Crypto", package: "swift-crypto"),
            ]),

        // Floor 5: programs
        .target(
            name: "LatchkeyCommandLineTool",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyAuditLog", "LatchkeyBackupFormat",
                "LatchkeyBackupRun", "LatchkeyBinaryPropertyList", "LatchkeyCertificates", "LatchkeyBackupItems",
                "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyDevice", "LatchkeyEnclaveContract",
                "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyFileFormat", "LatchkeyItemDatabase",
                "LatchkeyItemModel",
                "LatchkeyKeybag", "LatchkeyKeychainMessages",
                "LatchkeyKeyItems", "LatchkeyPeerIdentity", "LatchkeyPlainText", "LatchkeyPrompt",
                "LatchkeyPropertyListDER", "LatchkeyRNCryptorFormat", "LatchkeySecretMemory", "Security",
                "CLatchkeyShims", "LatchkeyThreading", "LatchkeyVolume",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(name: "latchkey", dependencies: ["LatchkeyCommandLineTool"]),
        .executableTarget(
            name: "latchkeyd",
            dependencies: [
                "LatchkeyCodeSignature", "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyDevice",
                "LatchkeyItemDatabase", "LatchkeyItemModel", "LatchkeyKeychainMessages", "LatchkeyKeychainService",
                "LatchkeyLocalTransport", "LatchkeyPeerIdentity", "LatchkeyPlainText", "LatchkeySecretMemory",
                "LatchkeySyncService", "LatchkeySyncStore", "LatchkeySyncTransport", "LatchkeyThreading",
            ]),
        .executableTarget(
            name: "latchkey-enclave",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyDevice", "LatchkeyEnclaveContract", "LatchkeyEnclaveCore",
                "LatchkeyEnclaveService", "LatchkeyEnclaveStorage", "LatchkeyLocalTransport",
                "LatchkeyPeerIdentity", "LatchkeyPlainText", "LatchkeySecretMemory", "LatchkeySensor",
                "LatchkeyThreading",
            ]),

        .executableTarget(
            name: "latchkey-volume",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCodeSignature", "LatchkeyDevice", "LatchkeyFileAccess", "LatchkeyKeybag",
                "LatchkeyKeychainMessages",
                "LatchkeyPeerIdentity",
                "LatchkeyVolume", "LatchkeyVolumeMount",
            ]),

        // Talks to the store of item sync, without keys.
        .executableTarget(
            name: "latchkey-transport",
            dependencies: [
                "LatchkeyDevice", "LatchkeyEtcdStore", "LatchkeyLocalTransport", "LatchkeyPeerIdentity",
                "LatchkeyPlainText", "LatchkeySyncStore", "LatchkeySyncTransport",
            ]),

        // Signs the programs of a package: swift package codesign
        .plugin(
            name: "LatchkeyCodesign",
            capability: .command(
                intent: .custom(verb: "codesign", description: "Build the package's programs and sign them.")),
            path: "Plugins/codesign"),

        // Kits
        .target(
            name: "SecurityTesting",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyBackupFormat", "LatchkeyBackupRun", "CLatchkeyComparisonWatch",
                "CLatchkeyFoundationWatch", "LatchkeyCryptoMisuse",
                "LatchkeyCryptoSuite", "LatchkeyDevice", "LatchkeyEnclaveContract", "LatchkeyEnclaveCore",
                "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyFileFormat", "LatchkeyItemModel", "LatchkeyKeybag",
                "LatchkeyKeychainMessages", "LatchkeyKeychainService", "LatchkeyLocalTransport",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeySyncCore", "LatchkeySyncIdentity",
                "LatchkeySyncKeys", "LatchkeySyncService", "LatchkeySyncStore", "LatchkeyThreading",
                "LocalAuthentication", "Security", "CLatchkeyShims",
            ]),
        // A store that does what the threat model allows.
        .target(
            name: "LatchkeySyncStoreTesting",
            dependencies: ["LatchkeySyncCore", "LatchkeySyncStore", "LatchkeySyncTransport", "LatchkeyThreading"]),
        // Sees what a test compares with memcmp.
        .target(name: "CLatchkeyComparisonWatch"),
        // Sees what a test writes with Foundation's Data.
        .target(name: "CLatchkeyFoundationWatch"),

        // Tests
        .testTarget(name: "SecretMemoryTests", dependencies: ["LatchkeySecretMemory"]),
        .testTarget(
            name: "CryptoSuiteTests",
            dependencies: ["LatchkeyCryptoSuite", "LatchkeySecretMemory", "LatchkeyTestSupport"]),
        .testTarget(
            name: "AsymmetricKeysTests",
            dependencies: [
                "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite", "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "CertificatesTests",
            dependencies: [
                "LatchkeyAsymmetricKeys", "LatchkeyCertificates", "LatchkeyCryptoSuite", "LatchkeyEncoding",
                "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "KeyItemsTests",
            dependencies: [
                "LatchkeyAsymmetricKeys", "LatchkeyCertificates", "LatchkeyItemModel",
                "LatchkeyKeyItems", "LatchkeyPropertyListDER",
                "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "CommonCryptoTests",
            dependencies: [
                "CLatchkeyShims", "CommonCrypto", "LatchkeyCommonCryptoFunctions", "LatchkeyCryptoMisuse",
                "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(name: "CryptoMisuseTests", dependencies: ["LatchkeyCryptoMisuse"]),
        .testTarget(name: "AppleLogTests", dependencies: ["AppleLog", "LatchkeyTestSupport"]),
        .testTarget(name: "CompressionTests", dependencies: ["Compression"]),
        .testTarget(
            name: "AppleNamesTests",
            dependencies: ["AppleNames", "CoreFoundation", "LatchkeyTestSupport", "Security"]),
        .testTarget(
            name: "RNCryptorTests",
            dependencies: [
                "LatchkeyCryptoSuite", "RNCryptor", "LatchkeyRNCryptorFormat", "LatchkeySecretMemory",
                "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "LockboxTests",
            dependencies: [
                "LocalAuthentication", "Lockbox", "Security", "SecurityTesting", "LatchkeyTestSupport", "latchkeyd",
                "latchkey-enclave",
            ]),
        .testTarget(
            name: "CryptoKitTests",
            dependencies: [
                "CommonCrypto", "LatchkeyCommonCryptoFunctions", "CryptoKit", "LatchkeyItemModel",
                "LatchkeyKeychainMessages",
                "LocalAuthentication", "Security", "SecurityTesting", "latchkeyd", "latchkey-enclave",
                "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "PostQuantumKeysTests",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyPostQuantumKeys", "LatchkeySecretMemory",
                .product(name: "Crypto", package: "swift-crypto"), "LatchkeyTestSupport",
            ]),
        .testTarget(name: "EncodingTests", dependencies: ["LatchkeyEncoding"]),
        .testTarget(name: "PlainTextTests", dependencies: ["LatchkeyPlainText"]),
        .testTarget(
            name: "BinaryPropertyListTests", dependencies: ["LatchkeyBinaryPropertyList", "LatchkeyTestSupport"]),
        .testTarget(name: "PropertyListDERTests", dependencies: ["LatchkeyPropertyListDER"]),
        .testTarget(name: "AccessControlTests", dependencies: ["LatchkeyAccessControl", "LatchkeyPropertyListDER"]),
        .testTarget(
            name: "KeybagTests",
            dependencies: ["LatchkeyCryptoSuite", "LatchkeyKeybag", "LatchkeySecretMemory", "LatchkeyTestSupport"]),
        .testTarget(
            name: "BackupItemsTests",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyBackupItems", "LatchkeyCryptoSuite", "LatchkeyItemModel",
                "LatchkeyKeyItems",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory",
            ]),
        .testTarget(
            name: "BackupFormatTests",
            dependencies: [
                "LatchkeyBackupFormat", "LatchkeyBackupItems", "LatchkeyBinaryPropertyList", "LatchkeyCryptoSuite",
                "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyItemModel", "LatchkeyKeybag",
                "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        // A machine to back up, and a program that is killed while it does.
        .target(
            name: "LatchkeyBackupTesting",
            dependencies: [
                "LatchkeyEncoding",
                "LatchkeyBackupFormat", "LatchkeyBackupRun", "LatchkeyCryptoSuite", "LatchkeyDevice",
                "LatchkeyEnclaveContract", "LatchkeyFileAccess", "LatchkeyKeybag", "LatchkeyKeychainMessages",
                "LatchkeySecretMemory", "Security", "SecurityTesting",
            ],
            path: "Tests/Backup/BackupTesting"),
        .target(name: "CLatchkeyFaultPoint", path: "Tests/CFaultPoint"),
        .executableTarget(
            name: "backup-check",
            dependencies: [
                "CLatchkeyFaultPoint", "LatchkeyBackupFormat", "LatchkeyBackupRun", "LatchkeyBackupTesting",
                "LatchkeyCryptoSuite", "LatchkeyDevice", "LatchkeyEnclaveContract", "LatchkeyItemModel",
                "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeyTestSupport", "Security", "SecurityTesting",
            ],
            path: "Tests/Backup/backup-check"),
        .testTarget(
            name: "BackupRunTests",
            dependencies: [
                "LatchkeyBackupFormat", "LatchkeyBackupRun", "LatchkeyBackupTesting", "LatchkeyCryptoSuite",
                "LatchkeyFileAccess", "LatchkeyItemModel", "LatchkeyKeybag",
                "LatchkeyKeychainMessages", "LatchkeySecretMemory", "LatchkeyTestSupport", "Security",
                "LatchkeyFileFormat", "SecurityTesting", "backup-check",
            ]),
        // A volume whose operations are cut off, or fail, at each call below.
        .executableTarget(
            name: "volume-check",
            dependencies: [
                "CLatchkeyFaultPoint", "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyDevice",
                "LatchkeyEnclaveContract", "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeySecretMemory",
                "LatchkeyTestSupport", "LatchkeyVolume",
            ],
            path: "Tests/Files/volume-check"),
        // A database whose transactions are cut off, or fail, at each call below.
        .executableTarget(
            name: "database-check",
            dependencies: [
                "CLatchkeyFaultPoint", "LatchkeyCryptoSuite", "LatchkeyDatabaseFiles", "LatchkeyDevice",
                "LatchkeyEnclaveContract", "LatchkeyFileAccess", "LatchkeyKeybag", "LatchkeyKeychainMessages",
                "LatchkeySecretMemory", "LatchkeyTestSupport",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Tests/Files/database-check"),
        .testTarget(
            name: "FileFormatTests",
            dependencies: ["LatchkeyCryptoSuite", "LatchkeyFileFormat", "LatchkeySecretMemory", "LatchkeyTestSupport"]),
        .testTarget(
            name: "VolumeTests",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyDevice", "LatchkeyEncoding", "LatchkeyFileAccess", "LatchkeyKeybag",
                "LatchkeyKeychainMessages", "LatchkeyTestSupport", "LatchkeyVolume",
                "SecurityTesting", "volume-check",
            ]),
        .testTarget(
            name: "EnclaveContractTests",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyEnclaveContract", "LatchkeyEncoding", "LatchkeyKeybag",
                "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "EnclaveCoreTests",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyEnclaveCore",
                "LatchkeyEncoding",
                "LatchkeyKeybag", "LatchkeySecretMemory",
            ]),
        .testTarget(name: "ItemModelTests", dependencies: ["LatchkeyItemModel", "LatchkeyPropertyListDER"]),
        .testTarget(
            name: "CodeSignatureTests",
            dependencies: [
                "LatchkeyEncoding",
                "LatchkeyAsymmetricKeys", "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyItemModel",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "AuditLogTests",
            dependencies: [
                "LatchkeyAuditLog", "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyPropertyListDER",
                "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "KeychainMessagesTests",
            dependencies: [
                "LatchkeyEncoding",
                "LatchkeyAccessControl", "LatchkeyBackupItems", "LatchkeyCodeSignature", "LatchkeyEnclaveContract",
                "LatchkeyItemModel",
                "LatchkeyKeybag", "LatchkeyKeychainMessages",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "ItemDatabaseTests",
            dependencies: [
                "LatchkeyEncoding",
                "LatchkeyItemDatabase", "LatchkeyItemModel", "LatchkeyTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "PeerIdentityTests",
            dependencies: [
                "CLatchkeyShims", "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyPeerIdentity",
                "LatchkeyPropertyListDER", "LatchkeyTestSupport", "LatchkeyThreading",
            ]),
        .target(
            name: "LatchkeyTestSupport",
            dependencies: ["CLatchkeyShims", "LatchkeyEncoding", "LatchkeySecretMemory", "LatchkeyThreading"],
            path: "Tests/TestSupport"),
        // Testers of file systems, for any directory, and a program that runs them.
        .target(name: "CLatchkeyFileSystemCalls", path: "Tests/Files/CFileSystemCalls"),
        .target(
            name: "LatchkeyFileSystemTesting",
            dependencies: ["CLatchkeyFileSystemCalls", "LatchkeyTestSupport", "LatchkeyThreading"],
            path: "Tests/Files/FileSystemTesting"),
        .executableTarget(
            name: "file-system-check", dependencies: ["LatchkeyFileSystemTesting"],
            path: "Tests/Files/file-system-check"),
        .testTarget(
            name: "FileSystemTests",
            dependencies: ["LatchkeyFileSystemTesting", "LatchkeyTestSupport", "file-system-check"],
            path: "Tests/Files/FileSystemTests"),
        // Devices in virtual time, and a program that runs them for many seeds.
        .target(
            name: "LatchkeySyncSimulation", dependencies: ["LatchkeySyncCore"], path: "Tests/Sync/SyncSimulation"),
        .executableTarget(
            name: "sync-check", dependencies: ["LatchkeySyncCore", "LatchkeySyncSimulation"],
            path: "Tests/Sync/sync-check"),
        // A large circle in weeks of ordinary use, and what it costs the store.
        .executableTarget(
            name: "sync-scale", dependencies: ["LatchkeySyncCore", "LatchkeySyncSimulation"],
            path: "Tests/Sync/sync-scale"),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyPropertyListDER", "LatchkeySyncCore", "LatchkeySyncSimulation",
                "LatchkeyTestSupport",
            ]),
        // A store in a folder whose writes are cut off, or fail, at each call below.
        .executableTarget(
            name: "store-check",
            dependencies: [
                "CLatchkeyFaultPoint", "LatchkeySyncCore", "LatchkeySyncStore", "LatchkeySyncStoreTesting",
            ],
            path: "Tests/Sync/store-check"),
        .testTarget(
            name: "SyncStoreTests",
            dependencies: [
                "LatchkeyEtcdStore", "LatchkeyEtcdTesting", "LatchkeyPlainText", "LatchkeySyncCore",
                "LatchkeySyncStore", "LatchkeySyncStoreTesting", "LatchkeySyncTransport", "LatchkeyTestSupport",
                "LatchkeyThreading", "store-check",
            ]),
        .testTarget(
            name: "EtcdMessagesTests",
            dependencies: ["LatchkeyEtcdMessages", "LatchkeySecretMemory", "LatchkeyTestSupport"]),
        .testTarget(
            name: "EtcdStoreTests",
            dependencies: [
                "LatchkeyEtcdStore", "LatchkeyEtcdTesting", "LatchkeyPlainText", "LatchkeySecretMemory",
                "LatchkeySyncCore", "LatchkeySyncStore", "LatchkeySyncStoreTesting", "LatchkeyTestSupport",
                "LatchkeyThreading",
            ]),
        // Servers of etcd that a test starts.
        .target(
            name: "LatchkeyEtcdTesting", dependencies: ["LatchkeyTestSupport"],
            path: "Tests/Sync/EtcdTesting"),
        .testTarget(
            name: "SyncTransportTests",
            dependencies: [
                "LatchkeyEtcdTesting", "LatchkeyLocalTransport", "LatchkeyPeerIdentity", "LatchkeyPropertyListDER",
                "LatchkeySecretMemory",
                "LatchkeySyncCore", "LatchkeySyncStore", "LatchkeySyncStoreTesting", "LatchkeySyncTransport",
                "LatchkeyTestSupport", "LatchkeyThreading", "latchkey-transport",
            ]),
        .testTarget(
            name: "SyncKeysTests",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyEncoding", "LatchkeySecretMemory", "LatchkeySyncCore",
                "LatchkeySyncKeys", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "SyncIdentityTests",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyEnclaveService", "LatchkeyEnclaveStorage",
                "LatchkeySecretMemory", "LatchkeySyncCore", "LatchkeySyncIdentity", "LatchkeySyncKeys",
                "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "SyncServiceTests",
            dependencies: [
                "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "LatchkeyEnclaveService",
                "LatchkeyEnclaveStorage",
                "LatchkeyItemModel", "LatchkeyKeychainMessages", "LatchkeyKeychainService",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeySyncCore", "LatchkeySyncKeys",
                "LatchkeySyncService", "LatchkeySyncStore", "LatchkeyTestSupport", "LatchkeyThreading",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(name: "ThreadingTests", dependencies: ["LatchkeyThreading"]),
        .testTarget(
            name: "LocalTransportTests",
            dependencies: [
                "CLatchkeyShims", "LatchkeyEncoding", "LatchkeyLocalTransport", "LatchkeyPeerIdentity",
                "LatchkeySecretMemory",
                "LatchkeyTestSupport", "LatchkeyThreading",
            ]),
        .testTarget(
            name: "PromptTests",
            dependencies: [
                "LatchkeyCodeSignature", "LatchkeyKeychainMessages", "LatchkeyPrompt",
                "LatchkeySecretMemory", "LatchkeyThreading",
            ]),
        .testTarget(
            name: "EnclaveServiceTests",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCryptoSuite",
                "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "LatchkeyEnclaveService",
                "LatchkeyEnclaveStorage",
                "LatchkeyKeybag", "LatchkeyPostQuantumKeys", "LatchkeySecretMemory", "LatchkeyThreading",
                "LatchkeyTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "KeychainServiceTests",
            dependencies: [
                "LatchkeyEncoding",
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyAuditLog", "LatchkeyCertificates",
                "LatchkeyCodeSignature", "LatchkeyCryptoSuite",
                "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "LatchkeyEnclaveService", "LatchkeyEnclaveStorage",
                "LatchkeyItemDatabase",
                "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeyItems",
                "LatchkeyKeychainMessages", "LatchkeyKeychainService", "LatchkeyPropertyListDER",
                "LatchkeySecretMemory", "LatchkeyTestSupport", "LatchkeyThreading",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "DeviceTests",
            dependencies: [
                "LatchkeyEncoding",
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCertificates",
                "LatchkeyCodeSignature", "LatchkeyCryptoSuite", "LatchkeyDevice",
                "LatchkeyEnclaveContract", "LatchkeyEnclaveService", "LatchkeyEnclaveStorage",
                "LatchkeyItemModel", "LatchkeyKeyItems",
                "LatchkeyKeybag",
                "LatchkeyKeychainMessages", "LatchkeyLocalTransport", "LatchkeyPeerIdentity",
                "LatchkeyPropertyListDER",
                "LatchkeySecretMemory", .product(name: "Crypto", package: "swift-crypto"),
                "LatchkeyTestSupport", "LatchkeyThreading",
            ]),
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyCertificates", "CoreFoundation",
                "LatchkeyCryptoSuite", "LatchkeyDevice",
                "LatchkeyItemModel",
                "LatchkeyKeyItems", "LatchkeyKeychainMessages", "LatchkeyPropertyListDER", "LatchkeySecretMemory",
                "Security", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "LocalAuthenticationTests",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyDevice", "LatchkeyEnclaveContract",
                "LatchkeyItemModel",
                "LatchkeyKeychainMessages", "LocalAuthentication",
                "LatchkeySecretMemory", "LatchkeyTestSupport", "Security",
            ]),
        .testTarget(
            name: "LocalAuthenticationSwift5Tests", dependencies: ["LocalAuthentication"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "SensorTests",
            dependencies: [
                "LatchkeyAccessControl", "CLatchkeyShims", "LatchkeyDevice", "LatchkeyEnclaveContract",
                "LatchkeyEnclaveCore",
                "LatchkeySecretMemory", "LatchkeySensor", "LatchkeyThreading",
                "latchkey-enclave", "LatchkeyTestSupport",
            ]),
        .testTarget(name: "DocumentationTests", dependencies: ["LatchkeyItemModel", "LatchkeyTestSupport"]),
        .testTarget(
            name: "SecurityTestingTests",
            dependencies: [
                "AddQueryUpdateDelete", "AppLock", "BackgroundUploader", "CLatchkeyComparisonWatch", "CLatchkeyShims",
                "CommonCrypto",
                "DataProtection", "LatchkeyCommonCryptoFunctions",
                "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "EnclaveSignature", "EnrolmentChange",
                "LatchkeyKeychainMessages",
                "LocalAuthentication",
                "LockedPhone", "NewPhone", "OldCipher",
                "ProtectedPDF", "PublicKeyExport", "RememberMe", "LatchkeySecretMemory", "Security",
                "SecurityTesting", "LatchkeySensor", "SharedGroup", "SharedVault", "SharedSecret", "SignedApp",
                "SignedLogin",
                "LatchkeyThreading",
                "TrackRecorder", "TwoSecrets", "latchkeyd", "latchkey-enclave", "LatchkeyTestSupport",
            ]),
        .testTarget(
            name: "Conformance",
            dependencies: [
                "LatchkeySecurityForC", "LocalAuthentication", "Security", "SecurityTesting", "LatchkeyTestSupport",
                "latchkeyd", "latchkey-enclave",
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "LatchkeyEncoding",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyAuditLog", "LatchkeyBackupRun",
                "LatchkeyBackupTesting", "LatchkeyCertificates",
                "LatchkeyCodeSignature", "LatchkeyCommandLineTool", "LatchkeyDevice",
                "LatchkeyCryptoSuite", "LatchkeyEnclaveContract", "LatchkeyItemDatabase", "LatchkeyItemModel",
                "LatchkeyKeychainMessages",
                "LatchkeyPlainText", "LatchkeyPrompt", "LatchkeyPropertyListDER",
                "LatchkeySecretMemory", "LatchkeyTestSupport", "Security",
            ]),
        .testTarget(
            name: "DatabaseFilesTests",
            dependencies: ["LatchkeyDatabaseFiles", "LatchkeyTestSupport", "database-check"]),
        .testTarget(
            name: "FileAccessTests",
            dependencies: [
                "CLatchkeyShims", "LatchkeyDevice", "LatchkeyFileAccess", "LatchkeyFileFormat", "LatchkeyKeybag",
                "LatchkeyItemModel", "LatchkeyKeychainMessages", "LatchkeyTestSupport", "SecurityTesting",
            ]),
        .testTarget(
            name: "ProtectedSQLiteTests",
            dependencies: [
                "DataProtection", "LatchkeyTestSupport", "ProtectedSQLite", "SecurityTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "DataProtectionTests",
            dependencies: ["DataProtection", "LatchkeyTestSupport", "SecurityTesting"]),
        .testTarget(
            name: "DataProtectionEventsTests",
            dependencies: [
                "DataProtectionEvents", "LatchkeyTestSupport", "Security", "SecurityTesting", "latchkeyd",
                "latchkey-enclave",
            ]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "DataProtection", "DataProtectionEvents", "KeychainEvents",
                "LatchkeyAccessControl", "LatchkeyBackupFormat", "LatchkeyCodeSignature", "LatchkeyCommandLineTool",
                "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyDevice", "LatchkeyEnclaveContract",
                "LatchkeyEtcdTesting",
                "LatchkeyFileSystemTesting",
                "LatchkeyItemModel",
                "LatchkeyKeybag", "LatchkeyKeychainMessages", "LatchkeyLocalTransport",
                "LatchkeyPropertyListDER", "LatchkeySecretMemory", "LatchkeySyncStore", "LatchkeySyncTransport",
                "ProtectedSQLite", "Security", "SecurityTesting",
                "SignedApp",
                "LatchkeyThreading", "latchkey",
                "latchkeyd",
                "file-system-check", "latchkey-enclave", "latchkey-transport", "latchkey-volume",
                "LatchkeyTestSupport", "volume-check",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "Crash",
            dependencies: [
                "LatchkeyAccessControl", "CLatchkeyShims", "LatchkeyCryptoSuite", "LatchkeyDevice",
                "LatchkeyEnclaveContract", "LatchkeyEnclaveCore", "LatchkeyEnclaveService", "LatchkeyEnclaveStorage",
                "LatchkeyItemDatabase", "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeychainMessages",
                "LatchkeyPropertyListDER",
                "LatchkeySecretMemory", "LatchkeySyncCore", "LatchkeySyncKeys", "LatchkeySyncStore",
                "LatchkeyTestSupport", "latchkey", "latchkeyd", "latchkey-enclave", "latchkey-transport",
            ]),
        .target(
            name: "CLatchkeyBenchPeers", dependencies: ["CLatchkeyFuse", "CLatchkeyLibcrypto"],
            path: "Benchmarks/CBenchPeers", linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("fuse3")]),
        .executableTarget(
            name: "latchkey-bench",
            dependencies: [
                "LatchkeyAccessControl", "LatchkeyAsymmetricKeys", "LatchkeyBackupFormat", "LatchkeyBackupRun",
                "LatchkeyEncoding",
                "CLatchkeyBenchPeers", "CLatchkeyLibcrypto",
                "LatchkeyCertificates", "LatchkeyCodeSignature",
                "CommonCrypto", "DataProtection",
                "LatchkeyCommonCryptoFunctions", "CLatchkeyShims", "ProtectedSQLite",
                "LatchkeyCryptoSuite", "RNCryptor",
                "LatchkeyDevice", "LatchkeyEnclaveContract", "LatchkeyEnclaveCore",
                "LatchkeyItemModel", "LatchkeyKeybag", "LatchkeyKeyItems",
                "LatchkeyKeychainMessages",
                "LocalAuthentication",
                "LatchkeyLocalTransport", .product(name: "Crypto", package: "swift-crypto"),
                "LatchkeyPeerIdentity", "LatchkeyPropertyListDER", "LatchkeySecretMemory", "Security",
                .product(name: "GRDBSQLite", package: "GRDB.swift"), "LatchkeyThreading",
            ],
            path: "Benchmarks/latchkey-bench"),

        // Examples: public API only
        .executableTarget(
            name: "AddQueryUpdateDelete", dependencies: ["Security"], path: "Examples/AddQueryUpdateDelete"),
        .executableTarget(
            name: "SharedGroup", dependencies: ["Security", "SecurityTesting"], path: "Examples/SharedGroup"),
        .executableTarget(
            name: "LockedPhone", dependencies: ["Security", "SecurityTesting"], path: "Examples/LockedPhone"),
        .executableTarget(
            name: "NewPhone", dependencies: ["Security", "SecurityTesting"], path: "Examples/NewPhone"),
        .executableTarget(
            name: "SharedVault", dependencies: ["Security", "SecurityTesting"], path: "Examples/SharedVault"),
        .executableTarget(
            name: "ItemEvents", dependencies: ["KeychainEvents", "Security", "SecurityTesting"],
            path: "Examples/ItemEvents"),
        .executableTarget(
            name: "AppLock", dependencies: ["LocalAuthentication", "Security", "SecurityTesting"],
            path: "Examples/AppLock"),
        .executableTarget(
            name: "TwoSecrets", dependencies: ["LocalAuthentication", "Security", "SecurityTesting"],
            path: "Examples/TwoSecrets"),
        .executableTarget(
            name: "EnrolmentChange", dependencies: ["LocalAuthentication", "Security", "SecurityTesting"],
            path: "Examples/EnrolmentChange"),
        .executableTarget(
            name: "SignedLogin", dependencies: ["LocalAuthentication", "Security", "SecurityTesting"],
            path: "Examples/SignedLogin"),
        .executableTarget(
            name: "SharedSecret",
            dependencies: ["Security", "SecurityTesting", .product(name: "Crypto", package: "swift-crypto")],
            path: "Examples/SharedSecret"),
        .executableTarget(
            name: "PublicKeyExport", dependencies: ["Security"], path: "Examples/PublicKeyExport"),
        .executableTarget(
            name: "EnclaveSignature", dependencies: ["CryptoKit", "LocalAuthentication", "SecurityTesting"],
            path: "Examples/EnclaveSignature"),
        .executableTarget(
            name: "RememberMe", dependencies: ["Lockbox", "Security", "SecurityTesting"], path: "Examples/RememberMe"),
        .executableTarget(
            name: "ProtectedPDF", dependencies: ["DataProtection", "SecurityTesting"], path: "Examples/ProtectedPDF"),
        .executableTarget(
            name: "BackgroundUploader", dependencies: ["DataProtection", "DataProtectionEvents", "SecurityTesting"],
            path: "Examples/BackgroundUploader"),
        .executableTarget(
            name: "TrackRecorder",
            dependencies: [
                "DataProtection", "ProtectedSQLite", "SecurityTesting",
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Examples/TrackRecorder"),
        .executableTarget(
            name: "OldCipher", dependencies: ["CommonCrypto", "LatchkeyCommonCryptoFunctions"],
            path: "Examples/OldCipher"),
        .executableTarget(
            name: "SignedApp", dependencies: ["Security"], path: "Examples/SignedApp",
            exclude: ["Latchkey.plist", "SignedApp.entitlements"]),
    ]
)

// Which house a folder stands in says what may touch what (Docs/Design/001-floors.md). Tests stand where what they test
// does, those of several programs at once below Tests/Whole.
let houses: [String: Set] = [
    "Ground": [
        "BinaryPropertyList", "CLibcrypto", "CShims", "CSystemd", "Encoding", "OpenFolders", "PlainText",
        "PropertyListDER", "SecretMemory",
        "Threading",
    ],
    "Core": [
        "AccessControl", "AsymmetricKeys", "BackupItems", "Certificates", "CodeSignature", "CryptoMisuse",
        "CryptoSuite",
        "ItemModel", "KeyItems", "Keybag", "PostQuantumKeys", "RNCryptorFormat",
    ],
    "Contract": ["EnclaveContract", "KeychainMessages", "LocalTransport", "PeerIdentity"],
    "Enclave": ["EnclaveCore", "EnclaveService", "EnclaveStorage", "Sensor", "latchkey-enclave"],
    "Keychain": ["AuditLog", "CItemLog", "ItemDatabase", "KeychainService", "latchkeyd"],
    "Files": [
        "CDatabaseLog", "CFuse", "DatabaseFiles", "FileAccess", "FileFormat", "Volume", "VolumeMount",
        "latchkey-volume",
    ],
    "Backup": ["BackupFormat", "BackupRun"],
    "Sync": [
        "CCurl", "EtcdMessages", "EtcdStore", "SyncCore", "SyncIdentity", "SyncKeys", "SyncService", "SyncStore",
        "SyncTransport",
        "latchkey-transport",
    ],
    "Client": ["Device", "Prompt"],
    "Faces": [
        "AppleLog", "AppleNames", "CSecurityBorder", "CSignatureNote", "CZlib", "CommonCrypto",
        "CommonCryptoFunctions", "Compression", "CoreFoundation", "CryptoKit",
        "DataProtection", "DataProtectionEvents", "KeychainEvents", "LocalAuthentication", "LocalAuthenticationSwift5",
        "Lockbox",
        "ProtectedSQLite", "RNCryptor", "Security", "SecurityForC",
    ],
    "Tool": ["CommandLine", "CommandLineTool", "latchkey"],
    "Kits": ["CComparisonWatch", "CFoundationWatch", "SecurityTesting", "SyncStoreTesting"],
    "Whole": ["Conformance", "Crash", "Documentation", "EndToEnd"],
]

// Module names are one name space for a whole build, so what is internal has a prefix there; its folder does without.
for target in package.targets where target.path == nil {
    var folder = target.name
    for (prefix, rest) in [("Latchkey", ""), ("CLatchkey", "C")] where target.name.hasPrefix(prefix) {
        folder = rest + target.name.dropFirst(prefix.count)
    }
    let isTest = target.type == .test
    let tested = isTest && folder.hasSuffix("Tests") ? String(folder.dropLast("Tests".count)) : folder
    guard let house = houses.first(where: { $0.value.contains(tested) })?.key else {
        fatalError("Package.swift: \(folder) stands in no house")
    }
    target.path = (isTest ? "Tests/" : "Sources/") + house + "/" + folder
}

// House rules for every target (Docs/Design/001-floors.md), but for code that stands for an app's.
for target in package.targets
where [.regular, .executable, .test].contains(target.type) && target.name != "LocalAuthenticationSwift5Tests" {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ]
}

// A program of another package that merely sees a face, because `canImport` found its module, has no module maps of
// what lies below: each import of a C module, or of a package that has one, is `@_implementationOnly` in these. The
// feature has the compiler refuse layouts that such a program could not know (Docs/Design/014).
let aboveCModules: Set = [
    "Compression",
    "LatchkeyAsymmetricKeys", "LatchkeyBackupFormat", "LatchkeyBackupRun", "LatchkeyCertificates",
    "LatchkeyCodeSignature",
    "LatchkeyCryptoMisuse", "LatchkeyCryptoSuite", "LatchkeyDatabaseFiles", "LatchkeyFileAccess",
    "LatchkeyItemDatabase",
    "LatchkeyLocalTransport", "LatchkeyOpenFolders",
    "LatchkeyPeerIdentity",
    "LatchkeyPostQuantumKeys", "LatchkeyRNCryptorFormat", "LatchkeySecretMemory", "LatchkeySecurityForC",
    "LatchkeyThreading",
    "LatchkeyVolume",
]
for target in package.targets where aboveCModules.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.enableExperimentalFeature("CheckImplementationOnly")]
}

// Where memory is handled by hand, each unsafe expression says so. Tests may be unsafe without saying it.
for target in package.targets
where [.regular, .executable].contains(target.type) && target.path?.hasPrefix("Sources/") ?? true {
    target.swiftSettings = (target.swiftSettings ?? []) + [.strictMemorySafety()]
}

// Scripts/build sets the variable for a debug build. The rules of sync are optimised there, too: the tests take them
// through thousands of runs. Elsewhere that costs more to compile than it saves. Assertions stay. No package could
// depend on one with unsafe flags, so a plain build has none.
if Context.environment["LATCHKEY_BUILDS_HERE"] != nil {
    let computing: Set = ["LatchkeyEncoding", "LatchkeyPropertyListDER", "LatchkeySyncCore", "LatchkeySyncSimulation"]
    for target in package.targets where computing.contains(target.name) {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
            ]
    }
}

// The same for tests: without the programs that no test starts, but those of `make soak`.
if Context.environment["LATCHKEY_BUILDS_TESTS"] != nil {
    let started: Set = ["OldCipher", "SignedApp"]
    let others = ["CLatchkeyBenchPeers", "latchkey-bench", "sync-scale"]
    let left = Set(
        package.targets.filter { $0.path?.hasPrefix("Examples/") ?? false }.map(\.name).filter { !started.contains($0) }
            + others)
    package.targets.removeAll { left.contains($0.name) }
    for target in package.targets {
        target.dependencies.removeAll { dependency in
            if case .byNameItem(let name, _) = dependency { left.contains(name) } else { false }
        }
    }
}

// The kit (Docs/Design/030-kit.md): the faces as compiled modules above one shared library, for packages that know
// nothing of Latchkey. `Scripts/build-kit` sets the variable, with a build directory of its own. The faces are compiled
// for library evolution, so that a program finds their modules alone and none that is internal.
if Context.environment["LATCHKEY_BUILDS_KIT"] != nil {
    let faces = [
        "Security", "CoreFoundation", "AppleNames", "AppleLog", "Compression", "LocalAuthentication", "CryptoKit",
        "RNCryptor", "Lockbox", "DataProtection", "SecurityTesting",
    ]
    for target in package.targets where faces.contains(target.name) {
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .unsafeFlags(["-enable-library-evolution", "-no-verify-emitted-module-interface"]),
                .define("LATCHKEY_BUILDS_KIT"),
            ]
    }
    package.products.append(
        .library(
            name: "LatchkeyKit", type: .static,
            targets: faces + [
                "CommonCrypto", "LatchkeyCommonCryptoFunctions", "LatchkeySecurityForC", "CLatchkeySecurityBorder",
            ]))
    // swift-crypto under another name: a package that has one of its own gets no symbol of this one. The package manager
    // renames the module, but does not tell the targets that import it.
    for target in package.targets {
        var imports = false
        target.dependencies = target.dependencies.map { dependency in
            guard case .productItem(name: "Crypto", package: let package?, moduleAliases: _, condition: _) = dependency
            else { return dependency }
            imports = true
            return .product(name: "Crypto", package: package, moduleAliases: ["Crypto": "LatchkeyKitCrypto"])
        }
        guard imports else { continue }
        target.swiftSettings =
            (target.swiftSettings ?? []) + [.unsafeFlags(["-module-alias", "Crypto=LatchkeyKitCrypto"])]
    }
}
