import Foundation
import Testing

/// CommonCrypto for programs of C and C++, as it is installed: headers, shared library, pkg-config file.
@Suite("CommonCrypto in C")
struct CLanguageTests {
    /// A user's installation, and room for programs beside it.
    private final class Home {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appending(path: "latchkey-c-\(UUID())").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            // Before the script looks for it.
            _ = try CInstallation.directory()
            let installed = try shell(
                "Scripts/link-commoncrypto '\(Installation.directory)' && "
                    + "Scripts/install-user --programs '\(Installation.directory)'")
            try #require(installed.status == 0, "\(installed.errors)")
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        /// Runs commands at the root of the repository, which find the installation as a user's do.
        func shell(_ commands: String, environment: [String: String] = [:]) throws -> Ending {
            let own = [
                "PREFIX": path + "/local", "HOME": path, "PKG_CONFIG_PATH": path + "/local/lib/pkgconfig",
                "OUT": path,
            ]
            return try run(
                URL(filePath: "/bin/sh"), ["-c", "cd '\(Installation.repositoryFile(""))' && " + commands],
                environment: own.merging(environment) { $1 })
        }

        /// Compiles a program without a warning; its path.
        func compile(_ source: String, _ compiler: String) throws -> URL {
            let program = "program-\(UUID())"
            let ending = try shell(
                "\(compiler) -O1 -Wall -Wextra -Werror -pedantic '\(source)' -x none "
                    + "$(pkg-config --cflags --libs commoncrypto) -o \"$OUT/\(program)\"")
            try #require(
                ending.status == 0, "are gcc, g++ and pkgconf installed? \(compiler) \(source): \(ending.errors)")
            return URL(filePath: path + "/" + program)
        }
    }

    static let compilers = ["cc -x c -std=c99", "cc -x c -std=c11", "c++ -x c++ -std=c++17"]

    @Test(
        "programs of C99, C11 and C++17 compile without a warning and get known answers from every group of functions")
    func answers() throws {
        let home = try Home()
        for compiler in Self.compilers {
            for source in ["answers.c", "openssl_names.c"] {
                let program = try home.compile("Fixtures/CommonCrypto/" + source, compiler)
                let ending = try run(program, [])
                #expect(ending.status == 0, "\(compiler) \(source) (MD2 needs Debian's libnettle8): \(ending.output)")
            }
        }
    }

    @Test("without libnettle MD2 says that it is not there, and everything else works") func withoutNettle() throws {
        let home = try Home()
        let program = try home.compile("Fixtures/CommonCrypto/answers.c", Self.compilers[0])
        // An empty library hides the machine's.
        let empty = home.path + "/empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: empty + "/libnettle.so.8"))
        let ending = try run(program, ["without-md2"], environment: ["LD_LIBRARY_PATH": empty])
        #expect(ending.status == 0, "\(ending.output)")
        // The fixture does tell the two apart.
        #expect(try run(program, [], environment: ["LD_LIBRARY_PATH": empty]).status == 1)
    }

    @Test("the example digests files as sha256sum does") func example() throws {
        let home = try Home()
        let program = try home.compile("Examples/CDigest/digest.c", Self.compilers[0])
        let files = [Installation.repositoryFile("Package.swift"), Installation.repositoryFile("LICENSE")]
        let theirs = try run(URL(filePath: "/usr/bin/sha256sum"), files)
        #expect(try run(program, files).output == theirs.output)
        #expect(theirs.status == 0)
        #expect(try run(program, ["/nonexistent"]).status == 1)
    }

    @Test("a program that asks for findings gets one line for each place, with the name of its function")
    func findings() throws {
        let home = try Home()
        let program = try home.compile("Fixtures/CommonCrypto/misuse.c", Self.compilers[0])
        #expect(try run(program, []).errors.isEmpty)
        let ending = try run(program, [], environment: ["LATCHKEY_CRYPTO_FINDINGS": "stderr"])
        #expect(ending.status == 0)
        let lines = ending.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix("[ecb]") }, "\(ending.errors)")
        // Named, whether the compiler kept the function or put it into main.
        #expect(ending.errors.contains("encrypt_by_blocks (") || ending.errors.contains("main ("), "\(ending.errors)")
    }

    @Test("each header compiles by itself in each language") func headers() throws {
        let home = try Home()
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path + "/local/include/CommonCrypto")
        #expect(names.contains("CommonCrypto.h") && names.contains("CommonDigestSPI.h"))
        for name in names {
            // Twice, as large programs do.
            let text = "#include <CommonCrypto/\(name)>\n#include <CommonCrypto/\(name)>\nint present;\n"
            try Data(text.utf8).write(to: URL(filePath: home.path + "/" + name + ".c"))
        }
        for compiler in Self.compilers {
            let ending = try home.shell(
                "\(compiler) -Wall -Wextra -Werror -pedantic -fsyntax-only $(pkg-config --cflags commoncrypto) "
                    + "\"$OUT\"/*.h.c")
            #expect(ending.status == 0, "\(compiler): \(ending.errors)")
        }
    }

    @Test("the library exports Apple's names alone, and needs no Swift") func library() throws {
        let home = try Home()
        let library = "\"$OUT\"/local/lib/libcommoncrypto.so.1"
        let exports = try home.shell("nm -D --extern-only --defined-only \(library)")
        let names = exports.output.split(separator: "\n").compactMap { line -> Substring? in
            // Address, kind, name and version.
            let words = line.split(separator: " ")
            guard words.count == 3, words[1] != "A" else { return nil }
            return words[2].split(separator: "@").first
        }
        #expect(names.allSatisfy { $0.hasPrefix("CC") || $0.hasPrefix("kCC") })
        // Every function that a header declares is there.
        let declared = try home.shell(
            "cat \"$OUT\"/local/include/CommonCrypto/*.h | sed -n 's/.*[ *]\\(CC[A-Za-z0-9_]*\\)(.*/\\1/p' "
                + "| grep -v '^CC_X$'")
        let functions = Set(declared.output.split(separator: "\n"))
        #expect(functions.count > 80)
        #expect(functions.subtracting(names).isEmpty, "\(functions.subtracting(names).sorted())")
        let needed = try home.shell("readelf -d \(library) | grep -E 'NEEDED|SONAME|RUNPATH'")
        #expect(needed.output.contains("Library soname: [libcommoncrypto.so.1]"))
        #expect(needed.output.contains("[libcrypto.so.3]"))
        #expect(!needed.output.contains("swift") && !needed.output.contains("RUNPATH"), "\(needed.output)")
    }
}
