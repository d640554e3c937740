import Foundation

/// A package of a thousand lines with a test, in a repository that it is cloned from. It keeps a password in the keychain
/// where there is one, and else in a dictionary.
struct SamplePackage {
    private static let modelCount = 20

    private let repository: String
    private let clone: String

    /// - Parameter directory: gets the repository and the clones.
    init(in directory: String) throws {
        repository = directory + "/repository"
        clone = directory + "/clone"
        var files = [
            "Sources/Sample/PasswordStore.swift": Self.store, "Tests/SampleTests/SampleTests.swift": Self.test,
        ]
        for number in 0..<Self.modelCount { files["Sources/Sample/Model\(number).swift"] = Self.model(number) }
        let lines = files.values.reduce(0) { $0 + $1.split(separator: "\n", omittingEmptySubsequences: false).count }
        guard (1000...1100).contains(lines) else { throw Failure("the package has \(lines) lines") }
        for (path, text) in files {
            let file = URL(fileURLWithPath: repository + "/" + path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        try Self.run(["git", "init", "--quiet", repository])
    }

    /// The seconds that a new clone takes until its test has passed.
    ///
    /// - Parameters:
    ///   - command: what tests the package in the current directory.
    ///   - place: where the test has to find that the password is kept.
    func firstTest(by command: [String], storesIn place: String) throws -> Double {
        try? FileManager.default.removeItem(atPath: clone)
        // The package manager remembers manifests by their content; this one is new to it.
        try (Self.manifest + "// \(UUID())\n").write(
            toFile: repository + "/Package.swift", atomically: true, encoding: .utf8)
        try Self.run(["git", "-C", repository, "add", "."])
        try Self.run(
            [
                "git", "-C", repository, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit",
                "--quiet",
                "--message", "sample",
            ])
        let time = try nanoseconds {
            try Self.run(["git", "clone", "--quiet", repository, clone])
            try Self.run(["/bin/sh", "-c", #"cd "$1" && shift && exec "$@" >output 2>&1"#, "sh", clone] + command)
        }
        let output = try String(contentsOfFile: clone + "/output", encoding: .utf8)
        guard output.contains("kept in the \(place)") else { throw Failure("the test did not use the \(place)") }
        return Double(time) / 1e9
    }

    private static func run(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("`\(words.joined(separator: " "))` ended with \(process.terminationStatus)")
        }
    }

    private static let manifest = """
        // swift-tools-version: 6.0
        import PackageDescription
        let package = Package(
            name: "Sample",
            products: [.library(name: "Sample", targets: ["Sample"])],
            targets: [.target(name: "Sample"), .testTarget(name: "SampleTests", dependencies: ["Sample"])])

        """

    private static let store = """
        import Foundation

        #if !canImport(Security)
        import Synchronization
        #endif

        /// Keeps passwords.
        public struct PasswordStore: Sendable {
            public let service: String

            public init(service: String) { self.service = service }

            #if canImport(Security)
            public static let place = "keychain"

            public func set(_ password: String, for account: String) -> Bool {
                let item: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                    kSecValueData: Data(password.utf8),
                ]
                return SecItemAdd(item as CFDictionary, nil) == errSecSuccess
            }

            public func password(of account: String) -> String? {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                    kSecReturnData: true,
                ]
                var found: CFTypeRef?
                guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
                return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
            }
            #else
            public static let place = "dictionary"
            private static let kept = Mutex<[String: Data]>([:])

            public func set(_ password: String, for account: String) -> Bool {
                Self.kept.withLock { $0[service + "\\n" + account] = Data(password.utf8) }
                return true
            }

            public func password(of account: String) -> String? {
                Self.kept.withLock { $0[service + "\\n" + account] }.map { String(decoding: $0, as: UTF8.self) }
            }
            #endif
        }
        """

    private static let test = """
        import Foundation
        import Sample
        import Testing

        @Test func passwordIsFound() {
            let store = PasswordStore(service: "sample")
            #expect(store.set("secret", for: "anna"))
            #expect(store.password(of: "anna") == "secret")
            print("kept in the \\(PasswordStore.place)")
        }

        @Test func modelsAreRead() throws {
            let account = Account0(name: "Anna", tags: ["one", "two"], limit: 7)
            #expect(try Account0(json: account.json()) == account)
            #expect(Ledger0(accounts: [account]).total == 7)
        }
        """

    private static func model(_ number: Int) -> String {
        """
        import Foundation

        /// An account of kind \(number).
        public struct Account\(number): Codable, Hashable, Sendable {
            public var name: String
            public var tags: [String]
            public var limit: Int
            public var created: Date?

            public init(name: String, tags: [String], limit: Int, created: Date? = nil) {
                (self.name, self.tags, self.limit, self.created) = (name, tags, limit, created)
            }

            public init(json: Data) throws {
                self = try JSONDecoder().decode(Self.self, from: json)
            }

            public func json() throws -> Data {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys]
                return try encoder.encode(self)
            }

            public var summary: String {
                let tagged = tags.isEmpty ? "" : " (" + tags.sorted().joined(separator: ", ") + ")"
                return "\\(name)\\(tagged): \\(limit)"
            }
        }

        /// Accounts of kind \(number).
        public struct Ledger\(number): Sendable {
            public private(set) var accounts: [String: Account\(number)]

            public init(accounts: [Account\(number)]) {
                self.accounts = Dictionary(accounts.map { ($0.name, $0) }) { _, last in last }
            }

            public var total: Int { accounts.values.reduce(0) { $0 + $1.limit } }

            public func named(_ prefix: String) -> [Account\(number)] {
                accounts.values.filter { $0.name.hasPrefix(prefix) }.sorted { $0.name < $1.name }
            }

            public mutating func add(_ account: Account\(number)) {
                accounts[account.name] = account
            }
        }
        """
    }
}
