import Foundation
import LatchkeyTestSupport
import Testing

/// A package that does not name Latchkey, with a kit that is linked from the objects of this build. `Scripts/build-kit`
/// looks at the library of a release.
@Suite("A package with the kit")
struct KitTests {
    private static let isSwiftHere = (try? run(URL(filePath: "/usr/bin/env"), ["swift", "--version"]))?.status == 0

    /// A directory that goes with this object.
    private final class Bench: Sendable {
        let directory: String

        init() throws {
            directory = NSTemporaryDirectory() + "latchkey-kit-\(UUID())"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        }

        deinit {
            try? FileManager.default.removeItem(atPath: directory)
        }

        func path(_ name: String) -> String { directory + "/" + name }

        /// The tool, with a cache in this directory, and a device in the environment that it does not use.
        func latchkey(_ arguments: [String]) throws -> Ending {
            try run(
                try Installation.program("latchkey"), arguments,
                environment: ["XDG_CACHE_HOME": path("cache"), "LATCHKEY_DEVICE": "dir:" + path("another")])
        }
    }

    private func linkKit(in bench: Bench) throws {
        let ending = try run(
            URL(filePath: Installation.repositoryFile("Scripts/link-kit")),
            ["--debug", Installation.directory, bench.path("kit")])
        try #require(ending.status == 0, "\(ending.output)\(ending.errors)")
    }

    /// The directory of a run that was killed.
    private static func killedRun() throws -> String {
        var template = Array("/tmp/latchkey-swift.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The files of a directory with their contents, without those of a build.
    private func files(of directory: String) throws -> [String: Data] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).filter { !$0.hasPrefix(".build") }
            .reduce(into: [:]) { $0[$1] = FileManager.default.contents(atPath: directory + "/" + $1) }
    }

    @Test(
        "is tested as it is: implicit imports, Apple's modules, a target of C, groups, a bundle identifier and a device of its own",
        .enabled(if: isSwiftHere, "the package manager is needed"))
    func untouched() throws {
        let bench = try Bench()
        try linkKit(in: bench)
        let package = bench.path("PocketVault")
        try FileManager.default.copyItem(
            atPath: Installation.repositoryFile("Fixtures/Packages/PocketVault"), toPath: package)
        let before = try files(of: package)
        // Two runs were killed, and the programs of one are still there.
        let left = try (0..<2).map { _ in try Self.killedRun() }
        defer { for path in left { try? FileManager.default.removeItem(atPath: path) } }
        let device = left[1] + "/device"
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: false)
        let lock = open(device + "/device.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(lock) }
        try #require(flock(lock, LOCK_SH) == 0)

        let tested = try bench.latchkey([
            "swift", "--kit", bench.path("kit"), "--bundle-identifier", "com.example.pocketvault", "test",
            "--package-path", package,
        ])
        let output = tested.output + tested.errors
        #expect(tested.status == 0, "\(output)")
        #expect(output.contains("Executed 4 tests, with 0 failures"), "\(output)")
        #expect(output.contains("Test run with 2 tests in 1 suite passed"), "\(output)")
        #expect(left.map { FileManager.default.fileExists(atPath: $0) } == [false, true])
        let line = try #require(tested.errors.split(separator: "\n").last { $0.hasPrefix("latchkey: ") })
        #expect(line.contains(" calls of the keychain; "), "\(tested.errors)")
        #expect(line.hasSuffix("; no findings"), "\(tested.errors)")
        // A deletion and an addition.
        #expect(tested.errors.contains("the device refused 2 calls: 2 × foreign-access-group ("), "\(tested.errors)")
        #expect(try files(of: package).filter { before[$0.key] != $0.value }.keys.sorted() == [])
        #expect(!FileManager.default.fileExists(atPath: bench.path("another")))

        // The exit code is that of swift.
        let failed = try bench.latchkey([
            "swift", "--kit", bench.path("kit"), "test", "--skip-build", "--package-path", package, "--filter",
            "testTheBundleHasAnIdentifier",
        ])
        #expect(failed.status == 1, "\(failed.output)\(failed.errors)")
    }

    @Test(
        "loads the modules of the parts that it imports, and no internal one can be imported",
        .enabled(if: isSwiftHere, "the compiler is needed"))
    func modules() throws {
        let bench = try Bench()
        for arguments in [
            ["Scripts/kit-modules", Installation.directory, bench.path("kit")],
            ["Scripts/check-kit", "--modules", bench.path("kit")],
        ] {
            let ending = try run(
                URL(filePath: Installation.repositoryFile(arguments[0])), Array(arguments.dropFirst()))
            try #require(ending.status == 0, "\(ending.output)\(ending.errors)")
        }
    }

    @Test(
        "has os and Compression for packages that ask for them, and for no others",
        .enabled(if: isSwiftHere, "the package manager is needed"))
    func onRequest() throws {
        let bench = try Bench()
        try linkKit(in: bench)
        let package = bench.path("Requests")
        try FileManager.default.createDirectory(
            atPath: package + "/Sources/Requests", withIntermediateDirectories: true)
        let manifest = """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "Requests", targets: [.executableTarget(name: "Requests")])
            """
        let source = """
            import Foundation
            #if canImport(os)
            import Compression
            import OSLog
            import os
            import os.log
            // A type of the package with the same name is another one.
            let logger = os.Logger(OSLog(subsystem: "org.example", category: "requests"))
            logger.error("\\("anna") \\("bert", privacy: .public) \\(COMPRESSION_ZLIB.rawValue)")
            let lock = OSAllocatedUnfairLock(initialState: 1)
            exit(lock.withLock { $0 } == 1 && errSecSuccess == 0 ? 0 : 1)
            #else
            exit(7)
            #endif
            """
        try manifest.write(toFile: package + "/Package.swift", atomically: true, encoding: .utf8)
        try source.write(toFile: package + "/Sources/Requests/main.swift", atomically: true, encoding: .utf8)
        try "struct Logger {}".write(
            toFile: package + "/Sources/Requests/Logger.swift", atomically: true, encoding: .utf8)

        let asked = try bench.latchkey([
            "swift", "--kit", bench.path("kit"), "--with", "os", "--with", "Compression", "run", "--package-path",
            package,
        ])
        #expect(asked.status == 0, "\(asked.output)\(asked.errors)")
        #expect(
            asked.errors.contains("error: [org.example:requests] <private> bert 517\n"),
            "\(asked.output)\(asked.errors)")
        let plain = try bench.latchkey(["swift", "--kit", bench.path("kit"), "run", "--package-path", package])
        #expect(plain.status == 7, "\(plain.output)\(plain.errors)")
    }

    @Test(
        "of another compiler is refused, with the command that builds it anew; a missing one and a false part, too",
        .enabled(if: isSwiftHere, "the compiler is needed"))
    func refused() throws {
        let bench = try Bench()
        let missing = try bench.latchkey(["toolset", "--kit", bench.path("kit")])
        #expect(missing.status == 75)
        try FileManager.default.createDirectory(atPath: bench.path("kit"), withIntermediateDirectories: false)
        let description = """
            {"schemaVersion": 1, "compiler": "Swift version 5.0", "target": "x86_64-unknown-linux-gnu",
             "source": "/src/latchkey", "sharedModules": [], "parts": [{"name": "Security", "needs": []}]}
            """
        try description.write(toFile: bench.path("kit/kit.json"), atomically: true, encoding: .utf8)
        for arguments in [["toolset"], ["swift", "build"]] {
            let ending = try bench.latchkey([arguments[0], "--kit", bench.path("kit")] + arguments.dropFirst())
            #expect(ending.status == 76)
            #expect(ending.errors.contains("make -C /src/latchkey kit"), "\(ending.errors)")
        }
    }
}
