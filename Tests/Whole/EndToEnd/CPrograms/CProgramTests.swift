import Foundation
import Testing

/// Programs of C and C++ against Security's shared library.
@Suite("Security in C")
struct CProgramTests {
    @Test(
        "items: every shape of a result, before main and in it, constants; nothing leaks",
        arguments: CProgramFolder.compilers)
    func items(_ compiler: String) throws { try play("items.c", compiler) }

    @Test(
        "objects: dictionaries without callbacks, null pointers, other types, changes after a call; nothing leaks",
        arguments: CProgramFolder.compilers)
    func objects(_ compiler: String) throws { try play("objects.c", compiler) }

    @Test(
        "keys: made, imported, exported, used, in the enclave, by the older calls; nothing leaks",
        arguments: CProgramFolder.compilers)
    func keys(_ compiler: String) throws { try play("keys.c", compiler) }

    @Test("certificates, identities and imports; nothing leaks", arguments: CProgramFolder.compilers)
    func certificates(_ compiler: String) throws {
        try play("certificates.c", compiler, papers: ["leaf.der", "issuer.der", "leaf.p12"])
    }

    @Test(
        "fork: a child has a device and keys of its own and what calls handed out; the parent finds all items, and none is set aside",
        arguments: CProgramFolder.compilers)
    func fork(_ compiler: String) throws {
        let folder = try CProgramFolder()
        let program = try folder.compile("Fixtures/SecurityForC/fork.c", compiler, CProgramFolder.checked)
        let ending = try folder(program)
        #expect(ending.status == 0, "\(compiler): \(ending.output)\(ending.errors.prefix(4000))")
        try expectNothingSetAside(in: folder, items: 61)
    }

    /// No row that does not open was moved, and none was stored that another process cannot open: the program has found them all.
    private func expectNothingSetAside(in folder: CProgramFolder, items: Int) throws {
        let database = folder.path + "/device/keychain/keychain.db"
        let ending = try run(
            URL(filePath: "/usr/bin/sqlite3"),
            [database, "SELECT (SELECT count(*) FROM genp), (SELECT count(*) FROM quarantine)"])
        #expect(ending.output == "\(items)|0\n", "\(ending.errors)")
    }

    @Test("policies and trust, also on queues and with blocks; nothing leaks", arguments: CProgramFolder.compilers)
    func trust(_ compiler: String) throws { try play("trust.c", compiler, papers: ["leaf.der", "issuer.der"]) }

    @Test(
        "private functions: deleting everything, accessors of certificates and access controls; nothing leaks",
        arguments: CProgramFolder.compilers)
    func privateFunctions(_ compiler: String) throws { try play("private.c", compiler, papers: ["leaf.der"]) }

    /// An issuer, a certificate with the serial number 5, and both of it and its key in one file.
    private static let papers = """
        cd "$OUT" && {
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout issuer.key -out issuer.pem \
                -days 300 -subj "/CN=Example CA" -addext basicConstraints=critical,CA:TRUE \
                -addext keyUsage=critical,keyCertSign &&
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout leaf.key -out leaf.csr \
                -subj "/CN=leaf.example.com" &&
            printf '%s\\n' subjectAltName=DNS:leaf.example.com,email:leaf@example.com extendedKeyUsage=serverAuth \
                basicConstraints=CA:FALSE >leaf.ext &&
            openssl x509 -req -in leaf.csr -CA issuer.pem -CAkey issuer.key -set_serial 5 -days 200 \
                -extfile leaf.ext -out leaf.pem &&
            openssl x509 -in leaf.pem -outform der -out leaf.der &&
            openssl x509 -in issuer.pem -outform der -out issuer.der &&
            openssl pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:secret -out leaf.p12
        }
        """

    /// Runs a program of the fixtures, with the files of certificates that it reads.
    private func play(_ source: String, _ compiler: String, papers names: [String] = []) throws {
        let folder = try CProgramFolder()
        if !names.isEmpty {
            let made = try folder.shell(Self.papers)
            try #require(made.status == 0, "\(made.errors)")
        }
        let program = try folder.compile("Fixtures/SecurityForC/" + source, compiler, CProgramFolder.checked)
        let ending = try folder(program, names.map { folder.path + "/" + $0 })
        #expect(ending.status == 0, "\(compiler): \(ending.output)\(ending.errors.prefix(4000))")
    }

    @Test("the sanitizer of the other tests does find objects that are not released") func sanitizer() throws {
        let folder = try CProgramFolder()
        let source = folder.path + "/leak.c"
        // Many: the address of one may still be somewhere on the stack, and then it is not lost.
        let text = """
            #include <Security/Security.h>
            int main(void) {
                for (int index = 0; index < 100; index++)
                    if (SecCopyErrorMessageString(-50, NULL) == NULL) return 0;
                return 0;
            }

            """
        try Data(text.utf8).write(to: URL(filePath: source))
        let ending = try folder(folder.compile(source, CProgramFolder.compilers[0], CProgramFolder.checked))
        #expect(ending.status != 0 && ending.errors.contains("LeakSanitizer"), "\(ending.errors)")
    }

    @Test("the example stores, prints and deletes a password, and says why it cannot") func example() throws {
        let folder = try CProgramFolder()
        let program = try folder.compile("Examples/CKeychain/keychain.c", CProgramFolder.compilers[0])
        #expect(try folder(program, ["find", "anna"]).errors.contains("(-25300)"))
        #expect(try folder(program, ["add", "anna"], input: "pass word").status == 0)
        let found = try folder(program, ["find", "anna"])
        #expect(found.status == 0 && found.output == "pass word")
        #expect(try folder(program, ["add", "anna"], input: "again").errors.contains("(-25299)"))
        #expect(try folder(program, ["delete", "anna"]).status == 0)
        #expect(try folder(program, ["find", "anna"]).status == 1)
        let long = String(repeating: "a", count: 2_000)
        #expect(try folder(program, ["add", "long"], input: long).errors.contains("(-25302)"), "not a part of it")
        #expect(try folder(program, ["find", "long"]).status == 1)
        #expect(try folder(program, []).status == 64 && folder(program, ["fnid", "anna"]).status == 64)
        let sections = try run(URL(filePath: "/usr/bin/readelf"), ["-SW", program.path])
        #expect(sections.output.contains(".note.latchkey.signature"), "it can be signed")
    }

    @Test("Python calls the library through ctypes") func python() throws {
        let folder = try CProgramFolder()
        let ending = try folder(
            URL(filePath: "/usr/bin/env"),
            [
                "python3", Installation.repositoryFile("Fixtures/SecurityForC/items.py"), CInstallation.library(),
                CInstallation.foundation() + "/libFoundation.so",
            ])
        #expect(ending.status == 0 && ending.output == "all as it should be\n", "\(ending.output)\(ending.errors)")
    }

    @Test("workers of Python's multiprocessing use the device of their parent, by fork") func pythonForks() throws {
        let folder = try CProgramFolder()
        let ending = try folder(
            URL(filePath: "/usr/bin/env"),
            [
                "python3", Installation.repositoryFile("Fixtures/SecurityForC/forks.py"), CInstallation.library(),
                CInstallation.foundation() + "/libFoundation.so",
            ])
        #expect(ending.status == 0 && ending.output == "all as it should be\n", "\(ending.output)\(ending.errors)")
        try expectNothingSetAside(in: folder, items: 16)
    }

    private static let rust = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
        .map { String($0) + "/rustc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test("Rust calls the library by declarations of its own", .enabled(if: rust != nil, "rustc is not installed"))
    func rustProgram() throws {
        let folder = try CProgramFolder()
        let (own, swift) = try (CInstallation.directory() + "/lib", CInstallation.foundation())
        let program = folder.path + "/items"
        let compiled = try run(
            URL(filePath: try #require(Self.rust)),
            [
                "--edition", "2021", Installation.repositoryFile("Fixtures/SecurityForC/items.rs"), "-o", program,
                "-L", own, "-L", swift, "-C", "link-arg=-Wl,-rpath,\(own)", "-C", "link-arg=-Wl,-rpath,\(swift)",
            ])
        try #require(compiled.status == 0, "\(compiled.errors)")
        let ending = try folder(URL(filePath: program))
        #expect(ending.status == 0 && ending.output == "all as it should be\n", "\(ending.output)\(ending.errors)")
    }
}
