import Foundation
import Security
import Testing

/// The headers, symbols and constants of Security for C, against each other and against the Swift face.
@Suite("The interface of Security in C")
struct CInterfaceTests {
    /// Every header in one text.
    private func declarations() throws -> String {
        try CInstallation.headers().map { try CInstallation.header($0) }.joined()
    }

    /// The functions that the headers declare.
    private func functions() throws -> Set<String> {
        Set(try declarations().matches(of: /[ *](Sec[A-Za-z0-9]+)\(/).map { String($0.output.1) })
    }

    /// The constants that the headers declare, in the order of the headers.
    private func constants() throws -> [String] {
        try declarations().matches(of: /(?m)^extern const \w+ (?:_Nullable )?(kS\w+)/).map { String($0.output.1) }
    }

    @Test("the library exports what the headers declare, and nothing else") func exports() throws {
        let declared = try functions().union(constants())
        #expect(declared.count > 500)
        let exported = try CProgramFolder.symbols(of: CInstallation.library())
        #expect(declared.subtracting(exported).sorted() == [], "declared, but not there")
        #expect(exported.subtracting(declared).sorted() == [], "there, but not declared")
    }

    @Test("every function is called by a program that is checked for leaks") func called() throws {
        let folder = Installation.repositoryFile("Fixtures/SecurityForC")
        let programs = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".c") || $0.hasSuffix(".h")
        }
        .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }.joined()
        let uncalled = try functions().filter { !programs.contains($0 + "(") }
        #expect(uncalled.sorted() == [])
    }

    @Test("the library needs the one CoreFoundation of the toolchain") func needs() throws {
        let listed = try run(URL(filePath: "/usr/bin/readelf"), ["-d", CInstallation.library()])
        #expect(listed.output.contains("Library soname: [libSecurity.so.1]"))
        #expect(listed.output.contains("Shared library: [libFoundation.so]"))
    }

    #if arch(x86_64)
    @Test("a program that needs no cryptography and no database does not load their libraries") func delayed() throws {
        let listed = try run(URL(filePath: "/usr/bin/readelf"), ["-d", CInstallation.library()])
        #expect(!listed.output.contains("[libcrypto") && !listed.output.contains("[libsqlite3"), "\(listed.output)")
        let folder = try CProgramFolder()
        let source = folder.path + "/loaded.c"
        let text = """
            #include <Security/Security.h>
            #include <stdio.h>
            int main(int count, char **arguments) {
                unsigned char bytes[16];
                CFStringRef text = SecCopyErrorMessageString(errSecItemNotFound, NULL);
                if (text == NULL) return 1;
                CFRelease(text);
                (void)arguments;
                if (count > 1) {
                    const void *keys[] = {kSecClass}, *values[] = {kSecClassGenericPassword};
                    CFDictionaryRef query = CFDictionaryCreate(NULL, keys, values, 1, NULL, NULL);
                    if (SecItemDelete(query) != errSecItemNotFound) return 2;
                    CFRelease(query);
                }
                FILE *map = fopen("/proc/self/maps", "r");
                size_t read;
                while ((read = fread(bytes, 1, sizeof bytes, map)) > 0) fwrite(bytes, 1, read, stdout);
                return fclose(map);
            }

            """
        try Data(text.utf8).write(to: URL(filePath: source))
        let program = try folder.compile(source, CProgramFolder.compilers[1])
        for (arguments, isLoaded) in [([], false), (["delete"], true)] as [([String], Bool)] {
            let ending = try folder(program, arguments)
            #expect(ending.status == 0)
            #expect(ending.output.contains("/libcrypto.so.3") == isLoaded, "\(arguments)")
            #expect(ending.output.contains("/libsqlite3.so.0") == isLoaded, "\(arguments)")
        }
    }
    #endif

    @Test("each header compiles by itself and twice, in each language") func headers() throws {
        let names = try CInstallation.headers()
        #expect(names.contains("Security.h") && names.contains("SecurityPriv.h") && names.count == 13)
        try CProgramFolder().expectWholeHeaders(names, of: "Security", in: CProgramFolder.compilers)
    }

    @Test("the result codes are those of the Swift face") func codes() throws {
        let header = try CInstallation.header("SecBase.h") + CInstallation.header("SecurityPriv.h")
        let pairs = header.matches(of: /(?m)^ +(err\w+) = (\w+|-\d+),$/)
        let named = Dictionary(ResultMessage.all.map { ($0.name, $0.code) }, uniquingKeysWith: { first, _ in first })
        var seen: [String: OSStatus] = [:]
        for pair in pairs {
            let (name, value) = (String(pair.output.1), String(pair.output.2))
            guard let number = OSStatus(value) ?? seen[value] else {
                Issue.record("\(name) is \(value), which is not a code before it")
                continue
            }
            seen[name] = number
            #expect(number == named[name], "\(name)")
        }
        #expect(Set(seen.keys) == Set(named.keys))
    }

    @Test("each constant has the text of the Swift face's, and an object of its own") func texts() throws {
        let folder = try CProgramFolder()
        let names = try constants().filter { $0 != "kSecRandomDefault" }
        let source = folder.path + "/constants.c"
        let text = """
            #pragma clang diagnostic ignored "-Wdeprecated-declarations"
            #include <Security/SecurityPriv.h>
            #include <stdio.h>
            static const struct { const char *name; const CFStringRef *constant; } all[] = {
            \(names.map { "{\"\($0)\", &\($0)}," }.joined(separator: "\n"))
            };
            int main(void) {
                char text[200];
                if (kSecRandomDefault != NULL) return 2;
                for (unsigned index = 0; index < sizeof all / sizeof *all; index++) {
                    CFStringRef constant = *all[index].constant;
                    if (!CFStringGetCString(constant, text, sizeof text, kCFStringEncodingUTF8)) return 1;
                    printf("%s\\t%s\\t%p\\n", all[index].name, text, (const void *)constant);
                }
                return 0;
            }

            """
        try Data(text.utf8).write(to: URL(filePath: source))
        let ending = try folder(folder.compile(source, CProgramFolder.compilers[0]))
        #expect(ending.status == 0)
        var found: [String: String] = [:]
        var addresses: Set<Substring> = []
        for line in ending.output.split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            try #require(parts.count == 3, "\(line)")
            found[String(parts[0])] = String(parts[1])
            #expect(addresses.insert(parts[2]).inserted, "\(line)")
        }
        let wanted = Dictionary(
            uniqueKeysWithValues: SwiftConstants.all.map { ($0, String(describing: $1 as NSString)) })
        #expect(Set(found.keys).symmetricDifference(wanted.keys).sorted() == [], "in one of the faces alone")
        for (name, text) in wanted { #expect(found[name] == text, "\(name)") }
        #expect(wanted.count > 440)
    }
}
