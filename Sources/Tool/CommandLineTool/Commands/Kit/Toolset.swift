import LatchkeyCryptoSuite
import LatchkeyEncoding

/// A toolset of the package manager (`swift build --toolset FILE`): the options that let a package import the modules of
/// a kit without naming Latchkey.
package struct Toolset: Sendable, Hashable {
    package let compilerOptions: [String]
    package let cCompilerOptions: [String]
    package let linkerOptions: [String]

    /// - Parameter imports: modules that every file of a package imports.
    package init(kit: String, description: KitDescription, parts: [KitDescription.Part], imports: [String]) {
        let directories = parts.map { "\(kit)/modules/\($0.name)" }
        var compilerOptions = (directories + description.sharedModules).flatMap { ["-I", $0] }
        for module in imports { compilerOptions += ["-Xfrontend", "-import-module", "-Xfrontend", module] }
        self.compilerOptions = compilerOptions
        var cCompilerOptions: [String] = []
        if parts.contains(where: { $0.name == "CommonCrypto" }) {
            cCompilerOptions += ["-I", "\(kit)/modules/CommonCrypto"]
        }
        if parts.contains(where: { $0.name == "Security" }), let headers = description.coreFoundation {
            // As in Packaging/security/security.pc.in.
            cCompilerOptions += [
                "-I", "\(kit)/include", "-isystem", headers, "-fblocks", "-fcf-runtime-abi=swift-5.0",
                "-DLATCHKEY_CONSTANT_CFSTR",
            ]
        }
        self.cCompilerOptions = cCompilerOptions
        linkerOptions = [
            "\(kit)/lib/signature-note.o", "-L", "\(kit)/lib", "-llatchkeykit", "-rpath", "\(kit)/lib",
        ]
    }

    /// The JSON document that the package manager reads.
    package var text: String {
        var tools = [("swiftCompiler", compilerOptions), ("linker", linkerOptions)]
        if !cCompilerOptions.isEmpty { tools += [("cCompiler", cCompilerOptions), ("cxxCompiler", cCompilerOptions)] }
        let members = tools.map { name, options in
            let list = options.map { "      " + JSONWriter.quoted($0) }.joined(separator: ",\n")
            return "  \"\(name)\": {\n    \"extraCLIOptions\": [\n\(list)\n    ]\n  }"
        }
        return (["{\n  \"schemaVersion\": \"1.0\""] + members).joined(separator: ",\n") + "\n}\n"
    }

    /// The name of its file: another content has another one, so that a build notices.
    package var fileName: String {
        "toolset-\(Hexadecimal.text(sha256(Array(text.utf8)).prefix(8))).json"
    }
}
