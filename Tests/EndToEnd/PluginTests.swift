import Foundation
import Testing

/// The plugin itself, run by the package manager, with the tool that was built beside these tests. Only the packages
/// that the tool is built from are left out: a package that uses the real one compiles them first.
@Suite("Signing with the package manager")
struct PluginTests {
    private static let isSwiftHere = (try? run(URL(filePath: "/usr/bin/env"), ["swift", "--version"]))?.status == 0

    @Test(
        "swift package codesign builds a program and signs it, as its package says",
        .enabled(if: isSwiftHere, "the package manager is needed"))
    func plugin() throws {
        let bench = try SigningProgram()
        let team = try bench.team(passphrase: "open sesame")
        try package(in: bench)

        let nobody = try swift(bench, [])
        #expect(nobody.status == 1)
        #expect((nobody.output + nobody.errors).contains("No team is named for App"))

        let passphrase = try bench.write("open sesame\n", "passphrase")
        let signed = try swift(bench, ["--team", team, "--passphrase-file", passphrase])
        #expect(signed.status == 0, "\(signed.output)\(signed.errors)")
        let program = bench.path("package/.build/debug/App")
        let verified = try bench("codesign", "-v", program, "--json").json()
        #expect(verified["application"] as? String == "\(team).com.example.App")
        #expect(verified["groups"] as? [String] == ["\(team).com.example.shared", "\(team).com.example.App"])
        #expect(try run(URL(filePath: program), []).status == 7)
        // The other program of the package says nothing about signing.
        #expect(!(signed.output + signed.errors).contains("latchkey: signed"))
        #expect(try bench("codesign", "-v", bench.path("package/.build/debug/latchkey-tool")).status == 52)

        let wrong = try swift(bench, ["--team", team, "--passphrase-file", "/dev/null"])
        #expect(wrong.status == 1)
        #expect((wrong.output + wrong.errors).contains("was built, but not signed (exit code 31"))
    }

    private func swift(_ bench: SigningProgram, _ arguments: [String]) throws -> Ending {
        try run(
            URL(filePath: "/usr/bin/env"),
            ["swift", "package", "--package-path", bench.path("package"), "codesign"] + arguments,
            environment: ["XDG_DATA_HOME": bench.path("data"), "LATCHKEY_TEAM": ""])
    }

    /// A package with the plugin, a program that stands for the tool, and one to sign.
    private func package(in bench: SigningProgram) throws {
        for directory in ["Plugins", "Sources/latchkey", "Sources/App"] {
            try FileManager.default.createDirectory(
                atPath: bench.path("package/" + directory), withIntermediateDirectories: true)
        }
        for path in ["Plugins/codesign", "Sources/CSignatureNote"] {
            try FileManager.default.createSymbolicLink(
                atPath: bench.path("package/" + path), withDestinationPath: Installation.repositoryFile(path))
        }
        let tool = try Installation.program("latchkey").path
        _ = try bench.write(
            "#include <unistd.h>\nint main(int count, char **arguments) { execv(\"\(tool)\", arguments); return 127; }\n",
            "package/Sources/latchkey/main.c")
        _ = try bench.write("int main(void) { return 7; }\n", "package/Sources/App/main.c")
        let list = { (content: String) in "<plist version=\"1.0\"><dict>\(content)</dict></plist>" }
        _ = try bench.write(
            list("<key>CFBundleIdentifier</key><string>com.example.$(PRODUCT_NAME)</string>"),
            "package/Sources/App/Latchkey.plist")
        _ = try bench.write(
            list(
                "<key>keychain-access-groups</key><array>"
                    + "<string>$(AppIdentifierPrefix)com.example.shared</string></array>"),
            "package/App.entitlements")
        _ = try bench.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "signed",
                targets: [
                    .plugin(
                        name: "codesign",
                        capability: .command(intent: .custom(verb: "codesign", description: "Sign.")),
                        dependencies: ["latchkey"]),
                    .target(name: "CSignatureNote"),
                    .executableTarget(name: "latchkey"),
                    .executableTarget(name: "App", dependencies: ["CSignatureNote"], exclude: ["Latchkey.plist"]),
                ])
            """, "package/Package.swift")
    }
}
