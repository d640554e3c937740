// swift-tools-version: 5.9
import PackageDescription

// As an author writes it for iOS: it has no word of Latchkey.
let package = Package(
    name: "PocketVault",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "PocketVault", targets: ["PocketVault"])],
    targets: [
        .target(name: "PocketVault"),
        .target(name: "PocketCore"),
        .testTarget(name: "PocketVaultTests", dependencies: ["PocketVault", "PocketCore"]),
    ])
