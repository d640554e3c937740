import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// `Scripts/build-deb` and `Scripts/check-deb`, over the programs as they were built for tests.
@Suite("Debian packages")
struct PackageTests {
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
        for (tool, package) in [
            ("dpkg-shlibdeps", "dpkg-dev"), ("file", "file"), ("debconf-set-selections", "debconf"),
        ] {
            let found = ["/usr/bin/", "/usr/sbin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + tool) }
            try #require(found, "needs \(tool): apt-get install \(package)")
        }
    }

    /// Made once: programs that start those of the build, small and found by their names where they are installed, and the
    /// pages of the manual, for which the tool is asked for the help of every command.
    private static let prepared = Result {
        let place = try TemporaryDirectory()
        for name in ["latchkey", "latchkeyd", "latchkey-enclave", "latchkey-volume", "latchkey-transport"] {
            let program = try Installation.program(name).path
            // By another process: a file that was just written cannot always be run while others are started.
            let written = try run(
                URL(filePath: "/bin/sh"),
                ["-c", "mkdir -p \"${0%/*}\" && cat >\"$0\" && chmod 755 \"$0\"", place.path("programs/\(name)")],
                input: Data(Self.standIn(name, program).utf8))
            try #require(written.status == 0, "\(written.errors)")
        }
        // Optional, as the kit is; here it is there.
        try FileManager.default.createSymbolicLink(
            atPath: place.path("programs/latchkey-c"), withDestinationPath: CInstallation.directory())
        let built = try run(
            URL(filePath: Installation.repositoryFile("Scripts/build-manual")),
            [Installation.directory, place.path("man")])
        try #require(built.status == 0, "\(built.errors)")
        return place
    }

    /// A program that starts another one. On a machine that `Scripts/check-deb` makes, that one is elsewhere.
    private static func standIn(_ name: String, _ program: String) -> String {
        """
        #!/bin/sh
        program='\(program)'
        if [ -d /stand-ins ]; then
            program=/stand-ins/programs/\(name)
            export LD_LIBRARY_PATH=/stand-ins/libraries
        fi
        exec "$program" "$@"

        """
    }

    private var arguments: [String] {
        get throws {
            let prepared = try Self.prepared.get()
            return ["--programs", prepared.path("programs"), "--manual", prepared.path("man")]
        }
    }

    private func script(_ name: String, _ arguments: [String]) throws -> Ending {
        try run(URL(filePath: Installation.repositoryFile("Scripts/" + name)), arguments)
    }

    @Test(
        "are installed, updated, removed and purged; devices stay without the answer to destroy them",
        .needsRoot(to: "make namespaces of mounts"))
    func lifetime() throws {
        let ending = try script("check-deb", try arguments + ["--stand-ins", Installation.directory])
        #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
        for step in [
            "two builds have the same bytes", "any user keeps an item on a read-only root", "updated",
            "removed: the device stays", "purged without an answer: the device stays",
            "purged with the answer to destroy devices: it is gone", "purged without a device: nothing is left",
        ] {
            #expect(ending.output.contains(step), "\(step)")
        }
    }

    @Test("have a list of their materials, each with version and licence, that names no address")
    func materials() throws {
        let built = try script("build-deb", try arguments + ["--quick", place.path("packages")])
        try #require(built.status == 0, "\(built.errors)")
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: place.path("packages")).first {
                $0.hasSuffix(".spdx.json")
            })
        let data = try Data(contentsOf: URL(filePath: place.path("packages/" + file)))
        let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(document["spdxVersion"] as? String == "SPDX-2.3")
        let packages = try #require(document["packages"] as? [[String: Any]])
        let names = Set(packages.compactMap { $0["name"] as? String })
        for name in [
            "latchkey", "latchkey-dev", "grdb.swift", "swift-argument-parser", "swift-crypto",
            "Swift runtime and Foundation",
        ] {
            #expect(names.contains(name), "\(name)")
        }
        for package in packages {
            for key in ["versionInfo", "licenseDeclared"] {
                #expect((package[key] as? String)?.isEmpty == false, "\(package["name"] ?? "?"): \(key)")
            }
            #expect(package["downloadLocation"] as? String == "NOASSERTION")
        }
        let relations = try #require(document["relationships"] as? [[String: String]])
        let known = Set(packages.compactMap { $0["SPDXID"] as? String } + ["SPDXRef-DOCUMENT"])
        #expect(
            relations.allSatisfy {
                known.contains($0["spdxElementId"] ?? "") && known.contains($0["relatedSpdxElement"] ?? "")
            })
        #expect(!String(decoding: data, as: UTF8.self).contains("://"))
    }

    @Test("have Security for C where the linker does not look by itself, and a program is built with it")
    func security() throws {
        let built = try script("build-deb", try arguments + ["--quick", place.path("packages")])
        try #require(built.status == 0, "\(built.errors)")
        // Unpacked, not installed: the flags name the place where it will be, and are told where it is.
        let program = try run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                """
                set -e
                for file in "$PLACE"/packages/*.deb; do dpkg-deb --extract "$file" "$PLACE/root"; done
                grep -x 'prefix=/usr/lib/latchkey/security' "$PLACE"/root/usr/lib/*/pkgconfig/security.pc
                test -z "$(find "$PLACE/root/usr/lib" -maxdepth 2 -name 'libSecurity*')"
                PKG_CONFIG_PATH=$(echo "$PLACE"/root/usr/lib/*/pkgconfig)
                export PKG_CONFIG_PATH
                clang "$SOURCE" -o "$PLACE/keychain" $(pkg-config --cflags --libs \\
                    --define-variable=prefix="$PLACE/root/usr/lib/latchkey/security" security)
                """,
            ],
            environment: [
                "PLACE": place.path, "SOURCE": Installation.repositoryFile("Examples/CKeychain/keychain.c"),
            ])
        #expect(program.status == 0, "\(program.output)\(program.errors)")
        let keychain = URL(filePath: place.path("keychain"))
        let device = ["LATCHKEY_DEVICE": "dir:" + place.path("device"), "HOME": place.path]
        #expect(try run(keychain, ["add", "anna"], input: Data("x".utf8), environment: device).status == 0)
        #expect(try run(keychain, ["find", "anna"], environment: device).output == "x")
    }

    @Test("the version of programs, packages and changelog is the same, from one place")
    func version() throws {
        let version = try script("version", []).output.trimmingCharacters(in: .whitespacesAndNewlines)
        for name in ["latchkey", "latchkeyd", "latchkey-enclave", "latchkey-volume", "latchkey-transport"] {
            #expect(try run(try Installation.program(name), ["--version"]).output == "\(name) \(version)\n")
        }
        let changelog = try String(contentsOfFile: Installation.repositoryFile("CHANGELOG.md"), encoding: .utf8)
        #expect(changelog.contains("The programs report \(version),") || changelog.contains("## [\(version)]"))
        let series = version.split(separator: ".").dropLast().joined(separator: ".") + ".x"
        let security = try String(contentsOfFile: Installation.repositoryFile("SECURITY.md"), encoding: .utf8)
        #expect(security.contains("| \(series) | yes |"))
    }

    @Test("every command has a page of the manual, or stands on the page of the one above it")
    func pages() throws {
        let prepared = try Self.prepared.get()
        func page(_ name: String) throws -> String {
            try String(contentsOfFile: prepared.path("man/" + name), encoding: .utf8)
        }
        #expect(try page("man1/latchkey.1").contains("latchkey\\-unlock (1)"))
        #expect(try page("man1/latchkey-unlock.1").contains("\\-\\-credential"))
        #expect(try page("man1/latchkey-sync.1").contains(".SH \"latchkey sync join\""))
        #expect(try page("man8/latchkeyd.8").contains("\\-\\-enclave\\-socket"))
        #expect(try page("man8/latchkey-setup.8").contains("\\-\\-store"))
        // A line that begins like a request of the formatter would be lost.
        let pages = try FileManager.default.subpathsOfDirectory(atPath: prepared.path("man")).filter {
            $0.contains(".")
        }
        for name in pages {
            let strange = try page(name).split(separator: "\n").filter {
                $0.hasPrefix(".") && !$0.contains(/^\.(TH|SH|SS|TP|B|BR|BI|I|IR|PP|nf|fi)( |$)/)
            }
            #expect(strange.isEmpty, "\(name): \(strange)")
        }
    }
}
