import Foundation
import Testing

/// The plugin itself, run by the package manager, with the tool that was built beside these tests on the PATH.
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
        #expect(!(signed.output + signed.errors).contains("Other: signed"))
        #expect(
            !FileManager.default.fileExists(atPath: bench.path("package/.build/debug/Other")), "it is not built either")

        let aliased = try swift(
            bench, ["--team", team, "--passphrase-file", passphrase, "--alias", "A1B2C3D4E5", "--alias", "B1B2C3D4E5"])
        #expect(aliased.status == 0, "\(aliased.output)\(aliased.errors)")
        let entitlements = try bench("codesign", "-d", "--entitlements", "-", program).output
        for alias in ["A1B2C3D4E5", "B1B2C3D4E5"] {
            #expect(entitlements.contains("<string>\(alias)</string>"), "\(entitlements)")
        }

        let wrong = try swift(bench, ["--team", team, "--passphrase-file", "/dev/null"])
        #expect(wrong.status == 1)
        #expect((wrong.output + wrong.errors).contains("was built, but not signed (exit code 31"))

        // An installed one would be found.
        if !FileManager.default.fileExists(atPath: "/usr/bin/latchkey") {
            let missing = try swift(bench, ["--team", team], tools: [])
            #expect(missing.status == 1)
            #expect((missing.output + missing.errors).contains("There is no program latchkey on the PATH"))
        }
    }

    /// Runs the plugin with the directories of `tools` and that of the package manager on the PATH.
    private func swift(
        _ bench: SigningProgram, _ arguments: [String], tools: [String]? = nil
    ) throws -> Ending {
        let manager = try run(URL(filePath: "/usr/bin/env"), ["which", "swift"])
            .output.trimmingCharacters(in: .whitespacesAndNewlines)
        let directory = URL(filePath: manager).resolvingSymlinksInPath().deletingLastPathComponent().path
        let path = (tools ?? [bench.path("tools")]) + [directory, "/usr/bin", "/bin"]
        return try run(
            URL(filePath: manager), ["package", "--package-path", bench.path("package"), "codesign"] + arguments,
            environment: [
                "XDG_DATA_HOME": bench.path("data"), "LATCHKEY_TEAM": "", "PATH": path.joined(separator: ":"),
            ])
    }

    /// A package with the plugin, a program to sign and another, and a directory with the tool.
    private func package(in bench: SigningProgram) throws {
        for directory in ["Plugins", "Sources/Other", "Sources/App"] {
            try FileManager.default.createDirectory(
                atPath: bench.path("package/" + directory), withIntermediateDirectories: true)
        }
        let links = [
            ("Plugins/codesign", "Plugins/codesign"), ("Sources/CSignatureNote", "Sources/Faces/CSignatureNote"),
        ]
        for (path, file) in links {
            try FileManager.default.createSymbolicLink(
                atPath: bench.path("package/" + path), withDestinationPath: Installation.repositoryFile(file))
        }
        try FileManager.default.createDirectory(atPath: bench.path("tools"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: bench.path("tools/latchkey"), withDestinationPath: Installation.program("latchkey").path)
        _ = try bench.write("int main(void) { return 0; }\n", "package/Sources/Other/main.c")
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
                        capability: .command(intent: .custom(verb: "codesign", description: "Sign."))),
                    .target(name: "CSignatureNote"),
                    .executableTarget(name: "Other"),
                    .executableTarget(name: "App", dependencies: ["CSignatureNote"], exclude: ["Latchkey.plist"]),
                ])
            """, "package/Package.swift")
    }
}
