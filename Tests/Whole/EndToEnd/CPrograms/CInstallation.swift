import Foundation
import Testing

/// Security for C, as `Scripts/link-security` makes it of the test's own build.
enum CInstallation {
    /// Made once for all tests.
    private static let made = Result { () throws -> String in
        let directory = Installation.directory + "/latchkey-c"
        let ending = try run(
            URL(filePath: Installation.repositoryFile("Scripts/link-security")), [Installation.directory])
        try #require(ending.status == 0, "\(ending.errors)")
        return directory
    }

    static func directory() throws -> String { try made.get() }

    static func header(_ name: String) throws -> String {
        try String(contentsOfFile: directory() + "/include/Security/" + name, encoding: .utf8)
    }

    static func headers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory() + "/include/Security").sorted()
    }

    /// The folder of the toolchain's shared libraries.
    static func foundation() throws -> String {
        let text = try String(contentsOfFile: directory() + "/lib/pkgconfig/security.pc", encoding: .utf8)
        return try #require(text.firstMatch(of: /(?m)^swift=(.+)$/)).output.1 + "/linux"
    }

    static func library() throws -> String { try directory() + "/lib/libSecurity.so.1" }
}

extension CProgramFolder {
    /// A folder for programs that use Security.
    convenience init() throws {
        try self.init(library: "security") { _ in
            ["PKG_CONFIG_PATH": try CInstallation.directory() + "/lib/pkgconfig"]
        }
    }
}
