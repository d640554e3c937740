import Foundation
import Testing

/// CommonCrypto for programs of C and C++, as it is installed: headers, shared library, pkg-config file.
@Suite("CommonCrypto in C")
struct CLanguageTests {
    /// A folder with a user's installation in it.
    private func installed() throws -> CProgramFolder {
        let home = try CProgramFolder(library: "commoncrypto") { path in
            ["PREFIX": path + "/local", "PKG_CONFIG_PATH": path + "/local/lib/pkgconfig"]
        }
        // Before the script looks for it.
        _ = try CInstallation.directory()
        let ending = try home.shell(
            "Scripts/link-commoncrypto '\(Installation.directory)' && "
                + "Scripts/install-user --programs '\(Installation.directory)'")
        try #require(ending.status == 0, "\(ending.errors)")
        return home
    }

    static let compilers = ["cc -x c -std=c99", "cc -x c -std=c11", "c++ -x c++ -std=c++17"]

    @Test(
        "programs of C99, C11 and C++17 compile without a warning and get known answers from every group of functions")
    func answers() throws {
        let home = try installed()
        for compiler in Self.compilers {
            for source in ["answers.c", "openssl_names.c"] {
                let program = try home.compile("Fixtures/CommonCrypto/" + source, compiler, "-O1")
                let ending = try run(program, [])
                #expect(ending.status == 0, "\(compiler) \(source) (MD2 needs Debian's libnettle8): \(ending.output)")
            }
        }
    }

    @Test("without libnettle MD2 says that it is not there, and everything else works") func withoutNettle() throws {
        let home = try installed()
        let program = try home.compile("Fixtures/CommonCrypto/answers.c", Self.compilers[0], "-O1")
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
        let home = try installed()
        let program = try home.compile("Examples/CDigest/digest.c", Self.compilers[0], "-O1")
        let files = [Installation.repositoryFile("Package.swift"), Installation.repositoryFile("LICENSE")]
        let theirs = try run(URL(filePath: "/usr/bin/sha256sum"), files)
        #expect(try run(program, files).output == theirs.output)
        #expect(theirs.status == 0)
        #expect(try run(program, ["/nonexistent"]).status == 1)
    }

    @Test("a program that asks for findings gets one line for each place, with the name of its function")
    func findings() throws {
        let home = try installed()
        let program = try home.compile("Fixtures/CommonCrypto/misuse.c", Self.compilers[0], "-O1")
        #expect(try run(program, []).errors.isEmpty)
        let ending = try run(program, [], environment: ["LATCHKEY_CRYPTO_FINDINGS": "stderr"])
        #expect(ending.status == 0)
        let lines = ending.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasSuffix("[ecb]") }, "\(ending.errors)")
        // Named, whether the compiler kept the function or put it into main.
        #expect(ending.errors.contains("encrypt_by_blocks (") || ending.errors.contains("main ("), "\(ending.errors)")
    }

    @Test("each header compiles by itself in each language") func headers() throws {
        let home = try installed()
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path + "/local/include/CommonCrypto")
        #expect(names.contains("CommonCrypto.h") && names.contains("CommonDigestSPI.h"))
        try home.expectWholeHeaders(names, of: "CommonCrypto", in: Self.compilers)
    }

    @Test("the library exports Apple's names alone, and needs no Swift") func library() throws {
        let home = try installed()
        let library = "\"$OUT\"/local/lib/libcommoncrypto.so.1"
        let names = try CProgramFolder.symbols(of: home.path + "/local/lib/libcommoncrypto.so.1")
        #expect(names.allSatisfy { $0.hasPrefix("CC") || $0.hasPrefix("kCC") })
        // Every function that a header declares is there.
        let declared = try home.shell(
            "cat \"$OUT\"/local/include/CommonCrypto/*.h | sed -n 's/.*[ *]\\(CC[A-Za-z0-9_]*\\)(.*/\\1/p' "
                + "| grep -v '^CC_X$'")
        let functions = Set(declared.output.split(separator: "\n").map(String.init))
        #expect(functions.count > 80)
        #expect(functions.subtracting(names).isEmpty, "\(functions.subtracting(names).sorted())")
        let needed = try home.shell("readelf -d \(library) | grep -E 'NEEDED|SONAME|RUNPATH'")
        #expect(needed.output.contains("Library soname: [libcommoncrypto.so.1]"))
        #expect(needed.output.contains("[libcrypto.so.3]"))
        #expect(!needed.output.contains("swift") && !needed.output.contains("RUNPATH"), "\(needed.output)")
    }
}
