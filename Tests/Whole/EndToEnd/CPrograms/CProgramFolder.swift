import Foundation
import Testing

/// A folder for programs of C that use one library, and for a device of their own. All of it goes with the object.
final class CProgramFolder {
    static let compilers = ["clang -x c -std=c99", "clang -x c -std=c11", "clang++ -x c++ -std=c++17"]
    /// Finds leaks at the end of a program, and objects that are used or released after their end.
    static let checked = "-g -fuse-ld=lld -fsanitize=address"
    private static let strict = "-Wall -Wextra -Werror -pedantic"

    let path: String
    private let library: String
    private let environment: [String: String]

    /// - Parameters:
    ///   - library: the name of the library for pkg-config.
    ///   - environment: the variables with which it is found, by the path of the folder.
    init(library: String, environment: (String) throws -> [String: String]) throws {
        path = FileManager.default.temporaryDirectory.appending(path: "latchkey-c-\(UUID())").path
        self.library = library
        self.environment = try environment(path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Runs commands at the root of the repository.
    func shell(_ commands: String) throws -> Ending {
        try run(
            URL(filePath: "/bin/sh"), ["-c", "cd '\(Installation.repositoryFile(""))' && " + commands],
            environment: ["OUT": path, "HOME": path].merging(environment) { $1 })
    }

    /// The words in front of a command that gets the flags as `"$@"`. pkg-config escapes what is special in a path.
    private func flags(_ which: String) -> String { "eval \"set -- $(pkg-config \(which) \(library))\" && " }

    /// Compiles a program without a warning; its path.
    func compile(_ source: String, _ compiler: String, _ options: String = "") throws -> URL {
        let program = "program-\(UUID())"
        let ending = try shell(
            flags("--cflags --libs")
                + "\(compiler) \(options) \(Self.strict) '\(source)' -x none \"$@\" -o \"$OUT/\(program)\"")
        try #require(
            ending.status == 0,
            "are pkgconf and the compiler installed? \(compiler) \(source): \(ending.errors)")
        return URL(filePath: path + "/" + program)
    }

    /// Expects that each header of a folder of the library compiles by itself, and twice, as large programs include it.
    func expectWholeHeaders(_ names: [String], of folder: String, in compilers: [String]) throws {
        for name in names {
            let text = "#include <\(folder)/\(name)>\n#include <\(folder)/\(name)>\nint present;\n"
            try Data(text.utf8).write(to: URL(filePath: path + "/" + name + ".c"))
        }
        for compiler in compilers {
            let ending = try shell(
                flags("--cflags") + "\(compiler) \(Self.strict) -fsyntax-only \"$@\" \"$OUT\"/*.h.c")
            #expect(ending.status == 0, "\(compiler): \(ending.errors)")
        }
    }

    /// Runs a program on the folder's device.
    func callAsFunction(
        _ program: URL, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) throws -> Ending {
        let own = ["LATCHKEY_DEVICE": "dir:\(path)/device", "HOME": path]
        return try run(
            program, arguments, input: Data(input.utf8), environment: own.merging(environment) { $1 })
    }

    /// The names that a shared library offers, without their versions.
    static func symbols(of library: String) throws -> Set<String> {
        let listed = try run(URL(filePath: "/usr/bin/nm"), ["-D", "--extern-only", "--defined-only", library])
        // Address, kind and name. A name of the kind A is a version.
        return Set(
            listed.output.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 3, words[1] != "A" else { return nil }
                return words[2].split(separator: "@").first.map(String.init)
            })
    }
}
