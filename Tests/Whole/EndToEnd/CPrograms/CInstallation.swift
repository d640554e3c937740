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

/// A folder for a program of C and for a device of its own, which goes with it.
final class CProgramFolder {
    static let compilers = ["clang -x c -std=c99", "clang -x c -std=c11", "clang++ -x c++ -std=c++17"]
    /// Finds leaks at the end of a program, and objects that are used or released after their end.
    static let checked = "-g -fuse-ld=lld -fsanitize=address"

    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "latchkey-c-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Runs commands at the root of the repository.
    func shell(_ commands: String) throws -> Ending {
        try run(
            URL(filePath: "/bin/sh"), ["-c", "cd '\(Installation.repositoryFile(""))' && " + commands],
            environment: [
                "PKG_CONFIG_PATH": CInstallation.directory() + "/lib/pkgconfig", "OUT": path, "HOME": path,
            ])
    }

    /// Compiles a program without a warning; its path.
    func compile(_ source: String, _ compiler: String, _ options: String = "") throws -> URL {
        let program = "program-\(UUID())"
        let ending = try shell(
            "\(compiler) \(options) -Wall -Wextra -Werror -pedantic '\(source)' -x none "
                + "$(pkg-config --cflags --libs security) -o \"$OUT/\(program)\"")
        try #require(ending.status == 0, "is pkgconf installed? \(compiler) \(source): \(ending.errors)")
        return URL(filePath: path + "/" + program)
    }

    /// Runs a program on the folder's device.
    func callAsFunction(
        _ program: URL, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) throws -> Ending {
        let own = ["LATCHKEY_DEVICE": "dir:\(path)/device", "HOME": path]
        return try run(
            program, arguments, input: Data(input.utf8), environment: own.merging(environment) { $1 })
    }
}
