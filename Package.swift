// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "latchkey",
    products: [
        .library(name: "Security", targets: ["Security", "CoreFoundation"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        // The headers and the functions: a module of C that Swift implements.
        .library(name: "CommonCrypto", targets: ["CommonCrypto", "CommonCryptoFunctions"]),
        // The same for C programs: Scripts/link-commoncrypto makes a shared library of it.
        .library(name: "commoncrypto", type: .static, targets: ["CommonCrypto", "CommonCryptoFunctions"]),
        .library(name: "CryptoKit", targets: ["CryptoKit"]),
        .library(name: "RNCryptor", targets: ["RNCryptor"]),
        .library(name: "Lockbox", targets: ["Lockbox"]),
        .library(name: "SecurityTesting", targets: ["SecurityTesting"]),
        .executable(name: "latchkey", targets: ["latchkey"]),
        .executable(name: "latchkeyd", targets: ["latchkeyd"]),
        .executable(name: "latchkey-enclave", targets: ["latchkey-enclave"]),
        .plugin(name: "codesign", targets: ["codesign"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // AES for an example, and the peer that a benchmark measures against.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        // Floor 0: bytes and memory
        .target(name: "CShims"),
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "SecretMemory", dependencies: ["CShims"]),
        .target(name: "CryptoSuite", dependencies: ["CLibcrypto", "CShims", "SecretMemory"]),
        .target(
            name: "AsymmetricKeys",
            dependencies: [
                "CLibcrypto", "CShims", "CryptoSuite", "SecretMemory",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // ML-KEM and ML-DSA, which libcrypto does not have yet.
        .target(
            name: "PostQuantumKeys",
            dependencies: ["CShims", "CryptoSuite", "SecretMemory", .product(name: "Crypto", package: "swift-crypto")]),
        .target(name: "PropertyListDER"),
        .target(name: "Threading", dependencies: ["CShims"]),
        // Reserves the place for a program's signature in everything that is linked with `Security`.
        .target(name: "CSignatureNote"),

        // Floor 1: rules and state machines, no input or output
        .target(name: "AccessControl", dependencies: ["PropertyListDER"]),
        .target(name: "Keybag", dependencies: ["CryptoSuite", "SecretMemory"]),
        .target(
            name: "EnclaveCore",
            dependencies: ["AccessControl", "CryptoSuite", "Keybag", "SecretMemory", "Threading"]),
        .target(name: "ItemModel", dependencies: ["PropertyListDER"]),
        // What is wrong about a use of CommonCrypto.
        .target(name: "CryptoMisuse", dependencies: ["CShims"]),
        .target(name: "RNCryptorFormat", dependencies: ["CLibcrypto", "CShims", "CryptoSuite", "SecretMemory"]),
        .target(
            name: "Certificates",
            dependencies: ["AsymmetricKeys", "CLibcrypto", "CShims", "CryptoSuite", "SecretMemory"]),
        // What keys and certificates are as items.
        .target(
            name: "KeyItems",
            dependencies: ["AsymmetricKeys", "Certificates", "ItemModel", "PropertyListDER", "SecretMemory"]),
        .target(
            name: "CodeSignature",
            dependencies: [
                "AsymmetricKeys", "CShims", "CryptoSuite", "ItemModel", "PropertyListDER", "SecretMemory",
            ]),
        .target(
            name: "KeychainMessages",
            dependencies: [
                "AccessControl", "CodeSignature", "EnclaveCore", "ItemModel", "Keybag", "PropertyListDER",
                "SecretMemory",
                "Threading",
            ]),

        // Floor 2: one outside thing each
        .target(
            name: "ItemDatabase",
            dependencies: [
                "ItemModel", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        .target(name: "PeerIdentity", dependencies: ["CShims", "CodeSignature", "CryptoSuite", "Threading"]),
        .target(name: "LocalTransport", dependencies: ["CShims", "PeerIdentity", "SecretMemory", "Threading"]),
        .target(name: "AuditLog", dependencies: ["CodeSignature", "CryptoSuite", "PropertyListDER", "Threading"]),
        .target(
            name: "EnclaveStorage",
            dependencies: ["AccessControl", "CryptoSuite", "EnclaveCore", "Keybag", "SecretMemory"]),
        .target(
            name: "Prompt",
            dependencies: ["CShims", "CodeSignature", "KeychainMessages", "SecretMemory", "Threading"]),

        // Only the enclave has a sensor: nobody else can say that a finger matched.
        .target(name: "Sensor", dependencies: ["CShims", "CSystemd", "CryptoSuite", "EnclaveCore", "Threading"]),

        // Floor 3: the only place where rules meet the outside
        .target(
            name: "EnclaveService",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "CryptoSuite", "EnclaveCore", "EnclaveStorage", "Keybag",
                "PostQuantumKeys", "SecretMemory", "Threading",
            ]),
        .target(
            name: "KeychainService",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "AuditLog", "Certificates", "CodeSignature", "CryptoSuite",
                "EnclaveCore", "ItemDatabase", "ItemModel",
                "Keybag", "KeyItems", "KeychainMessages", "PropertyListDER", "SecretMemory", "Threading",
            ]),
        .target(
            name: "Device",
            dependencies: [
                "CodeSignature", "CryptoSuite", "EnclaveCore", "EnclaveService", "EnclaveStorage", "ItemModel",
                "KeychainMessages",
                "KeychainService", "LocalTransport", "PeerIdentity", "Prompt", "PropertyListDER", "SecretMemory",
                "Threading",
            ]),

        // Floor 4: the names of Apple's SDK
        .target(
            name: "Security",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "CSignatureNote", "Certificates", "CryptoSuite", "Device",
                "ItemModel",
                "KeyItems", "KeychainMessages", "PropertyListDER", "SecretMemory", "Threading",
            ]),
        .target(name: "CoreFoundation", dependencies: ["Security"]),
        .target(
            name: "LocalAuthentication",
            dependencies: [
                "AccessControl", "Device", "EnclaveCore", "ItemModel", "KeychainMessages", "SecretMemory", "Security",
            ]),

        .target(name: "CommonCrypto"),
        .target(
            name: "CommonCryptoFunctions",
            dependencies: ["CLibcrypto", "CommonCrypto", "CryptoMisuse", "CShims"]),
        .target(name: "RNCryptor", dependencies: ["CryptoSuite", "RNCryptorFormat", "SecretMemory"]),
        .target(name: "Lockbox", dependencies: ["Security"]),
        .target(
            name: "CryptoKit",
            dependencies: [
                "AccessControl", "Device", "EnclaveCore", "ItemModel", "KeychainMessages", "LocalAuthentication",
                "SecretMemory", "Security", .product(name: "Crypto", package: "swift-crypto"),
            ]),

        // Floor 5: programs
        .target(
            name: "CommandLineTool",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"), "AccessControl", "AsymmetricKeys",
                "AuditLog", "Certificates", "CodeSignature", "KeyItems", "RNCryptorFormat",
                "CShims", "CryptoSuite", "Device",
                "EnclaveCore", "ItemModel", "Keybag", "KeychainMessages", "PeerIdentity", "Prompt", "PropertyListDER",
                "SecretMemory", "Security", "Threading",
            ]),
        .executableTarget(name: "latchkey", dependencies: ["CommandLineTool"]),
        .executableTarget(
            name: "latchkeyd",
            dependencies: [
                "CodeSignature", "CShims", "CryptoSuite", "Device", "EnclaveCore", "KeychainMessages",
                "KeychainService",
                "LocalTransport", "PeerIdentity", "PropertyListDER", "SecretMemory", "Threading",
            ]),
        .executableTarget(
            name: "latchkey-enclave",
            dependencies: [
                "CShims", "CryptoSuite", "Device", "EnclaveCore", "EnclaveService", "EnclaveStorage", "LocalTransport",
                "PeerIdentity", "SecretMemory", "Sensor", "Threading",
            ]),

        // Signs the programs of a package: swift package codesign
        .plugin(
            name: "codesign",
            capability: .command(
                intent: .custom(verb: "codesign", description: "Build the package's programs and sign them.")),
            dependencies: ["latchkey"]),

        // Kits
        .target(
            name: "SecurityTesting",
            dependencies: [
                "AccessControl", "CComparisonWatch", "CryptoMisuse", "CryptoSuite", "Device", "EnclaveCore",
                "ItemModel",
                "Keybag", "KeychainMessages", "KeychainService", "LocalTransport", "PropertyListDER", "SecretMemory",
                "Security", "Threading",
            ]),
        // Sees what a test compares with memcmp.
        .target(name: "CComparisonWatch"),

        // Tests
        .testTarget(name: "SecretMemoryTests", dependencies: ["CShims", "SecretMemory"]),
        .testTarget(name: "CryptoSuiteTests", dependencies: ["CryptoSuite", "SecretMemory"]),
        .testTarget(
            name: "AsymmetricKeysTests", dependencies: ["AsymmetricKeys", "CryptoSuite", "SecretMemory", "TestSupport"]),
        .testTarget(
            name: "CertificatesTests",
            dependencies: ["AsymmetricKeys", "Certificates", "CryptoSuite", "SecretMemory", "TestSupport"]),
        .testTarget(
            name: "KeyItemsTests",
            dependencies: [
                "AsymmetricKeys", "Certificates", "CryptoSuite", "ItemModel", "KeyItems", "PropertyListDER",
                "SecretMemory", "TestSupport",
            ]),
        .testTarget(
            name: "CommonCryptoTests",
            dependencies: ["CommonCrypto", "CommonCryptoFunctions", "CryptoMisuse", "TestSupport"]),
        .testTarget(name: "CryptoMisuseTests", dependencies: ["CryptoMisuse"]),
        .testTarget(
            name: "RNCryptorTests",
            dependencies: ["CryptoSuite", "RNCryptor", "RNCryptorFormat", "SecretMemory", "TestSupport"]),
        .testTarget(
            name: "LockboxTests",
            dependencies: [
                "LocalAuthentication", "Lockbox", "Security", "SecurityTesting", "TestSupport", "latchkeyd",
                "latchkey-enclave",
            ]),
        .testTarget(
            name: "CryptoKitTests",
            dependencies: [
                "CommonCrypto", "CommonCryptoFunctions", "CryptoKit", "ItemModel", "KeychainMessages",
                "LocalAuthentication", "Security", "SecurityTesting", "latchkeyd", "latchkey-enclave",
            ]),
        .testTarget(
            name: "PostQuantumKeysTests",
            dependencies: [
                "CShims", "CryptoSuite", "PostQuantumKeys", "SecretMemory",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(name: "PropertyListDERTests", dependencies: ["PropertyListDER"]),
        .testTarget(name: "AccessControlTests", dependencies: ["AccessControl", "PropertyListDER"]),
        .testTarget(name: "KeybagTests", dependencies: ["CryptoSuite", "Keybag", "SecretMemory"]),
        .testTarget(
            name: "EnclaveCoreTests",
            dependencies: ["AccessControl", "CryptoSuite", "EnclaveCore", "Keybag", "SecretMemory"]),
        .testTarget(name: "ItemModelTests", dependencies: ["ItemModel", "PropertyListDER"]),
        .testTarget(
            name: "CodeSignatureTests",
            dependencies: [
                "AsymmetricKeys", "CodeSignature", "CShims", "CryptoSuite", "PropertyListDER", "SecretMemory",
            ]),
        .testTarget(
            name: "AuditLogTests",
            dependencies: ["AuditLog", "CodeSignature", "CryptoSuite", "PropertyListDER", "TestSupport"]),
        .testTarget(
            name: "KeychainMessagesTests",
            dependencies: [
                "AccessControl", "CodeSignature", "EnclaveCore", "ItemModel", "Keybag", "KeychainMessages",
                "PropertyListDER", "SecretMemory",
            ]),
        .testTarget(
            name: "ItemDatabaseTests",
            dependencies: ["ItemDatabase", "ItemModel", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")]),
        .testTarget(
            name: "PeerIdentityTests", dependencies: ["CShims", "CodeSignature", "CryptoSuite", "PeerIdentity"]),
        .target(name: "TestSupport", dependencies: ["Threading"], path: "Tests/TestSupport"),
        .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
        .testTarget(
            name: "LocalTransportTests",
            dependencies: ["CShims", "LocalTransport", "PeerIdentity", "SecretMemory", "Threading"]),
        .testTarget(
            name: "PromptTests",
            dependencies: ["CShims", "CodeSignature", "KeychainMessages", "Prompt", "SecretMemory", "Threading"]),
        .testTarget(
            name: "EnclaveServiceTests",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "CShims", "CryptoSuite", "EnclaveCore", "EnclaveService",
                "EnclaveStorage",
                "Keybag", "PostQuantumKeys", "SecretMemory", "Threading", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "KeychainServiceTests",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "AuditLog", "Certificates", "CodeSignature", "CryptoSuite",
                "EnclaveCore", "EnclaveService", "EnclaveStorage", "ItemDatabase", "ItemModel", "Keybag", "KeyItems",
                "KeychainMessages", "KeychainService", "PropertyListDER", "SecretMemory", "TestSupport", "Threading",
                .product(name: "Crypto", package: "swift-crypto"), .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "DeviceTests",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "Certificates",
                "CodeSignature", "CShims", "CryptoSuite", "Device", "EnclaveCore", "EnclaveService", "EnclaveStorage",
                "ItemModel", "KeyItems",
                "Keybag",
                "KeychainMessages", "KeychainService", "LocalTransport", "PeerIdentity", "PropertyListDER",
                "SecretMemory", "Threading", .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "Certificates", "CoreFoundation", "CryptoSuite", "Device",
                "ItemModel",
                "KeyItems", "KeychainMessages", "PropertyListDER", "SecretMemory", "Security", "TestSupport",
            ]),
        .testTarget(
            name: "LocalAuthenticationTests",
            dependencies: [
                "AccessControl", "Device", "EnclaveCore", "ItemModel", "KeychainMessages", "LocalAuthentication",
                "SecretMemory", "Security",
            ]),
        .testTarget(
            name: "LocalAuthenticationSwift5Tests", dependencies: ["LocalAuthentication"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "SensorTests",
            dependencies: [
                "AccessControl", "CShims", "Device", "EnclaveCore", "SecretMemory", "Sensor", "Threading",
                "latchkey-enclave",
            ]),
        .testTarget(name: "DocumentationTests"),
        .testTarget(
            name: "SecurityTestingTests",
            dependencies: [
                "AddQueryUpdateDelete", "AppLock", "CComparisonWatch", "CShims", "CommonCrypto",
                "CommonCryptoFunctions", "CryptoMisuse",
                "EnclaveCore", "EnclaveSignature", "EnrolmentChange", "KeychainMessages", "LocalAuthentication",
                "LockedPhone", "OldCipher",
                "PublicKeyExport", "RememberMe", "SecretMemory", "Security",
                "SecurityTesting", "Sensor", "SharedGroup", "SharedSecret", "SignedApp", "SignedLogin", "Threading",
                "TwoSecrets", "latchkeyd", "latchkey-enclave", "TestSupport",
            ]),
        .testTarget(
            name: "Conformance",
            dependencies: [
                "LocalAuthentication", "Security", "SecurityTesting", "TestSupport", "latchkeyd", "latchkey-enclave",
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                "AccessControl", "AsymmetricKeys", "AuditLog", "Certificates", "CodeSignature", "CommandLineTool",
                "CryptoSuite", "EnclaveCore", "ItemModel", "KeychainMessages", "Prompt", "PropertyListDER",
                "SecretMemory",
            ]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "AccessControl", "CodeSignature", "CommandLineTool", "CShims", "Device", "ItemModel",
                "KeychainMessages",
                "PropertyListDER", "SecretMemory", "Security", "SecurityTesting", "SignedApp", "Threading", "latchkey",
                "latchkeyd",
                "latchkey-enclave", "TestSupport",
            ]),
        .testTarget(
            name: "Crash",
            dependencies: [
                "AccessControl", "CShims", "CryptoSuite", "Device", "EnclaveCore", "EnclaveService", "EnclaveStorage",
                "ItemDatabase", "ItemModel", "Keybag", "KeychainMessages", "LocalTransport", "PropertyListDER",
                "SecretMemory", "TestSupport", "latchkey", "latchkeyd", "latchkey-enclave",
            ]),
        .target(
            name: "CBenchPeers", dependencies: ["CLibcrypto"], path: "Benchmarks/CBenchPeers",
            linkerSettings: [.linkedLibrary("crypto")]),
        .executableTarget(
            name: "latchkey-bench",
            dependencies: [
                "AccessControl", "AsymmetricKeys", "CBenchPeers", "CLibcrypto", "Certificates", "CodeSignature",
                "CommonCrypto",
                "CommonCryptoFunctions", "CShims",
                "CryptoSuite", "RNCryptor",
                "Device", "EnclaveCore", "EnclaveService",
                "EnclaveStorage",
                "ItemDatabase", "ItemModel", "Keybag", "KeyItems", "KeychainMessages", "KeychainService",
                "LocalAuthentication",
                "LocalTransport", .product(name: "Crypto", package: "swift-crypto"),
                "PeerIdentity", "PropertyListDER", "SecretMemory", "Security",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"), "Threading",
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
            name: "OldCipher", dependencies: ["CommonCrypto", "CommonCryptoFunctions"], path: "Examples/OldCipher"),
        .executableTarget(
            name: "SignedApp", dependencies: ["Security"], path: "Examples/SignedApp",
            exclude: ["Latchkey.plist", "SignedApp.entitlements"]),
    ]
)

// House rules for every target (Docs/Design/001-floors.md), but for code that stands for an app's.
for target in package.targets
where [.regular, .executable, .test].contains(target.type) && target.name != "LocalAuthenticationSwift5Tests" {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .treatAllWarnings(as: .error),
        ]
}

// Where memory is handled by hand, each unsafe expression says so. Tests may be unsafe without saying it.
for target in package.targets where [.regular, .executable].contains(target.type) && target.path == nil {
    target.swiftSettings = (target.swiftSettings ?? []) + [.strictMemorySafety()]
}
