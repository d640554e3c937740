import Foundation
import Testing

/// A neighbour is a target of the same build that does not depend on Latchkey, but asks `canImport` for names that it
/// knows from Apple platforms. The modules of a build lie in one directory, which each compiler call may look into; the
/// module maps are only given to targets that depend on what they are about. `Scripts/neighbours` builds such packages.
@Suite("Packages that see a face without depending on it")
struct NeighbourTests {
    private static let isSwiftHere = (try? run(URL(filePath: "/usr/bin/env"), ["swiftc", "--version"]))?.status == 0

    /// Uses of each face in code, behind the condition that finds it.
    private static let uses = [
        "Security":
            "public func code() -> OSStatus { SecItemDelete([kSecClass: kSecClassGenericPassword] as CFDictionary) }",
        "LocalAuthentication": "final class Context: LAContext { var mine = 7 }\nlet size = Context().mine",
        "CryptoKit":
            "public let digest = SHA256.hash(data: Data())\npublic typealias Key = SecureEnclave.P256.Signing.PrivateKey",
        "CoreFoundation": "public func loop() -> CFRunLoop? { CFRunLoopGetCurrent() }\npublic let none = kCFNull",
        "RNCryptor":
            "public func sealed(_ data: Data) -> Data { RNCryptor.encrypt(data: data, withPassword: \"a\") }",
        "Lockbox": "public func names() -> Any { Lockbox.self }",
        "SecurityTesting": "public func phone() throws -> VirtualDevice { try VirtualDevice() }",
    ]

    @Test(
        "compile, with no module map of C", .enabled(if: isSwiftHere, "the compiler is needed"),
        arguments: uses.keys.sorted())
    func sees(_ face: String) throws {
        let directory = NSTemporaryDirectory() + "latchkey-neighbour-\(UUID())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let source = """
            import Foundation
            #if canImport(\(face))
            import \(face)
            \(Self.uses[face] ?? "")
            #else
            #error("there is no module \(face)")
            #endif
            """
        try source.write(toFile: directory + "/Neighbour.swift", atomically: true, encoding: .utf8)
        let ending = try run(
            URL(filePath: "/usr/bin/env"),
            [
                "swiftc", "-emit-object", "-parse-as-library", "-module-name", "Neighbour", "-I",
                Installation.directory + "/Modules", "-o", directory + "/Neighbour.o", directory + "/Neighbour.swift",
            ])
        #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    }

    @Test(
        "include files that use Core Foundation of the toolchain and of Security",
        .enabled(if: isSwiftHere, "the compiler is needed"))
    func coreFoundation() throws {
        let directory = NSTemporaryDirectory() + "latchkey-neighbour-\(UUID())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let source = """
            import CoreFoundation
            import Foundation
            import Security
            let text: CFString = "a"
            let list = [text: text] as CFDictionary
            func same() -> Bool { CFEqual(text, text) && CFHash(text) == CFHash(text) }
            func type() -> CFTypeID { CFGetTypeID(text) + CFStringGetTypeID() }
            func truth() -> [String: Any] { ["a": kCFBooleanTrue!, "b": kCFNull!, "c": kCFBooleanFalse as Any] }
            func data() -> CFData? { CFDataCreate(kCFAllocatorDefault, [1, 2], 2) }
            func copied(_ bytes: [UInt8]) -> Int { CFDataGetLength(CFDataCreate(nil, bytes, bytes.count)) }
            func error() -> CFError? { CFErrorCreate(nil, kCFErrorDomainOSStatus, CFIndex(errSecParam), nil) }
            func time() -> CFAbsoluteTime { CFAbsoluteTimeGetCurrent() }
            func status() -> OSStatus { noErr }
            func loop() -> CFRunLoop? { CFRunLoopGetCurrent() }
            let count = CFDictionaryGetCount
            """
        try source.write(toFile: directory + "/Program.swift", atomically: true, encoding: .utf8)
        let ending = try run(
            URL(filePath: "/usr/bin/env"),
            [
                "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "5", "-I",
                Installation.directory + "/Modules", directory + "/Program.swift",
            ])
        #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
    }
}
