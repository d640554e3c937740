import Foundation
import LatchkeyCommandLineTool
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("Kits for packages")
struct KitTests {
    private static let text = """
        {"schemaVersion": 1, "compiler": "Swift version 6", "target": "x86_64-unknown-linux-gnu", "source": "/src",
         "coreFoundation": "/swift/lib", "sharedModules": [], "parts": [
            {"name": "Security", "needs": []}, {"name": "AppleNames", "needs": [], "onRequest": true},
            {"name": "os", "needs": ["AppleNames"], "onRequest": true, "importedByName": true},
            {"name": "LocalAuthentication", "needs": ["Security"]},
            {"name": "CommonCrypto", "needs": []}, {"name": "CryptoKit", "needs": ["LocalAuthentication"]}]}
        """

    private func description(_ text: String = text) throws -> KitDescription {
        try #require(KitDescription(Array(text.utf8)))
    }

    @Test("a part brings those that it needs, in the order of the kit; without names there are all")
    func parts() throws {
        let kit = try description()
        #expect(try kit.parts([]).map(\.name) == ["Security", "LocalAuthentication", "CommonCrypto", "CryptoKit"])
        #expect(try kit.parts(["CryptoKit"]).map(\.name) == ["Security", "LocalAuthentication", "CryptoKit"])
        #expect(try kit.parts(["CommonCrypto", "Security"]).map(\.name) == ["Security", "CommonCrypto"])
        let failure = #expect(throws: CommandFailure.self) { try kit.parts(["UIKit"]) }
        #expect(failure?.status == .usage)
        #expect(failure?.advice?.contains("CryptoKit") == true)
    }

    @Test("a part on request is seen by packages that ask for it, beside the others or beside those that are named")
    func onRequest() throws {
        let kit = try description()
        #expect(
            try kit.parts([], requested: ["AppleNames"]).map(\.name) == [
                "Security", "AppleNames", "LocalAuthentication", "CommonCrypto", "CryptoKit",
            ])
        #expect(
            try kit.parts(["CommonCrypto"], requested: ["AppleNames"]).map(\.name) == ["AppleNames", "CommonCrypto"])
        #expect(try kit.parts(["AppleNames"]).map(\.name) == ["AppleNames"])
        for name in ["Security", "UIKit"] {
            let failure = #expect(throws: CommandFailure.self) { try kit.parts([], requested: [name]) }
            #expect(failure?.status == .usage)
            #expect(failure?.advice?.contains("AppleNames") == true)
        }
    }

    @Test("a part that files import by name is not imported into every file, nor are parts that it needs")
    func importedByName() throws {
        let kit = try description()
        func imports(_ names: [String], _ requested: [String]) throws -> [String] {
            kit.implicitImports(try kit.parts(names, requested: requested), requested: requested)
        }
        #expect(try imports([], []) == ["Security"])
        #expect(try imports([], ["os"]) == ["Security"])
        #expect(try imports([], ["os", "AppleNames"]) == ["Security", "AppleNames"])
        #expect(try imports(["CommonCrypto"], ["os"]) == [])
        #expect(try kit.parts([], requested: ["os"]).map(\.name).prefix(3) == ["Security", "AppleNames", "os"])
    }

    @Test("a description of another version, or without parts, is not a kit")
    func malformed() {
        for (from, to) in [("\"schemaVersion\": 1", "\"schemaVersion\": 2"), ("\"parts\": [", "\"sections\": [")] {
            #expect(KitDescription(Array(Self.text.replacing(from, with: to).utf8)) == nil)
        }
    }

    @Test("a toolset has the directories of its parts, the implicit import, and the library")
    func toolset() throws {
        let kit = try description()
        let toolset = Toolset(
            kit: "/kit", description: kit, parts: try kit.parts(["LocalAuthentication"]), imports: ["Security"])
        #expect(
            toolset.compilerOptions == [
                "-I", "/kit/modules/Security", "-I", "/kit/modules/LocalAuthentication", "-Xfrontend", "-import-module",
                "-Xfrontend", "Security",
            ])
        #expect(
            toolset.cCompilerOptions == [
                "-I", "/kit/include", "-isystem", "/swift/lib", "-fblocks", "-fcf-runtime-abi=swift-5.0",
                "-DLATCHKEY_CONSTANT_CFSTR",
            ])
        #expect(toolset.linkerOptions.contains("-llatchkeykit"))
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(toolset.text.utf8)) as? [String: Any])
        #expect(document["schemaVersion"] as? String == "1.0")
        let linker = document["linker"] as? [String: [String]]
        #expect(linker?["extraCLIOptions"] == toolset.linkerOptions)
        let compiler = document["cCompiler"] as? [String: [String]]
        #expect(compiler?["extraCLIOptions"] == toolset.cCompilerOptions)

        // A kit that was built before there was a C face.
        let former = try #require(
            KitDescription(Array(Self.text.replacing("\"coreFoundation\": \"/swift/lib\", ", with: "").utf8)))
        #expect(Toolset(kit: "/kit", description: former, parts: [former.parts[0]], imports: []).cCompilerOptions == [])

        let other = Toolset(kit: "/kit", description: kit, parts: try kit.parts(["CommonCrypto"]), imports: [])
        #expect(other.cCompilerOptions == ["-I", "/kit/modules/CommonCrypto"])
        #expect(!other.text.contains("import-module"))
        #expect(other.fileName != toolset.fileName)
    }

    @Test("the place of a package and of its programs comes from the arguments of swift")
    func places() {
        let package = SwiftPackage(
            arguments: [
                "test", "--filter", "-c", "-c", "release", "--package-path=Nested", "--scratch-path", "/s", "--", "-c",
                "x",
            ], current: "/home/anna")
        #expect(package.directory == "/home/anna/Nested")
        #expect(
            package.placeArguments.suffix(4) == ["--package-path", "Nested", "--scratch-path", "/s"])
        #expect(package.defaultIdentifier == "org.latchkey.swift.Nested")
        #expect(
            SwiftPackage(arguments: ["run"], current: "/tmp/a b.c").defaultIdentifier == "org.latchkey.swift.a-b-c")
    }

    @Test("a user without a home has the toolset in the build directory of the package")
    func toolsetDirectory() {
        func place(_ environment: [String: String], _ arguments: [String] = ["test"]) -> String? {
            KitOptions.directory(environment, SwiftPackage(arguments: arguments, current: "/package"))
        }
        #expect(place(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/latchkey")
        #expect(place(["XDG_CACHE_HOME": "relative", "HOME": "/h"]) == "/h/.cache/latchkey")
        #expect(place([:]) == "/package/.build/latchkey")
        #expect(place(["HOME": ""]) == "/package/.build/latchkey")
        #expect(place([:], ["test", "--scratch-path", "other"]) == "/package/other/latchkey")
        #expect(place([:], ["build", "--build-path=/other", "-c", "release"]) == "/other/latchkey")
        #expect(place(["SWIFTPM_BUILD_DIR": "/third"]) == "/third/latchkey")
        #expect(KitOptions.directory([:], nil) == nil)
    }

    @Test("entitlements are looked for in the package, from its manifest down, and nowhere else")
    func search() throws {
        let directory = try TemporaryDirectory()
        func make(_ path: String) throws {
            let url = URL(fileURLWithPath: directory.path(path))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
        func found(_ path: String) -> String? {
            SwiftPackage(arguments: ["test"], current: directory.path(path)).onlyEntitlements()
        }
        try make("package/Sources/App/App.entitlements")
        try make("package/.build/Copy.entitlements")
        try make("elsewhere/Other.entitlements")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("package/link"), withDestinationPath: directory.path("elsewhere"))
        #expect(found("package") == nil, "no package without a manifest")
        try make("package/Package.swift")
        let only = directory.path("package/Sources/App/App.entitlements")
        #expect(found("package") == only && found("package/Sources") == only)
        try make("package/Second.entitlements")
        #expect(found("package") == nil)
    }

    @Test("entitlements get the variables of Xcode, further groups and an application identifier")
    func entitlements() throws {
        let file = """
            <plist version="1.0"><dict><key>keychain-access-groups</key>
            <array><string>$(AppIdentifierPrefix)com.example.shared</string></array></dict></plist>
            """
        let all = try KitEntitlements.dictionary(
            file: Array(file.utf8), groups: ["A1B2C3D4E5.other"], identifier: "com.example.app")
        #expect(
            all == [
                "keychain-access-groups": .array([
                    .string("LATCHKEYGO.com.example.shared"), .string("A1B2C3D4E5.other"),
                ]),
                "application-identifier": .string("LATCHKEYGO.com.example.app"),
            ])
        #expect(throws: CommandFailure.self) {
            try KitEntitlements.dictionary(
                file: Array(file.replacing("AppIdentifierPrefix", with: "Unknown").utf8), groups: [], identifier: "a")
        }
    }

    @Test("what follows the command of swift is for swift, also what would be refused as a secret here")
    func passedOn() throws {
        let line = [
            "--device", "/d", "swift", "--group", "g", "run", "App", "--password=hunter2", "--json", "--", "-w",
        ]
        try ArgumentGuard.refuseSecrets(in: line)
        guard case .runs(let command as SwiftCommand) = ToolProgram.command(line) else {
            Issue.record("not understood")
            return
        }
        #expect(command.device == "/d")
        #expect(command.group == ["g"])
        #expect(command.arguments == ["run", "App", "--password=hunter2", "--json", "--", "-w"])
        #expect(throws: CommandFailure.self) {
            try ArgumentGuard.refuseSecrets(in: ["swift", "--password=hunter2", "run", "App"])
        }
    }

    @Test("a command of swift that takes no toolset is refused", arguments: [["swift"], ["swift", "format"]])
    func otherCommands(_ line: [String]) {
        guard case .refused(let failure, usage: _) = ToolProgram.command(line) else {
            Issue.record("not refused")
            return
        }
        #expect(failure.status == .usage)
    }
}
