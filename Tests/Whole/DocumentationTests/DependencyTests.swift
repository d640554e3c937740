import Foundation
import Testing

/// The dependencies that the manifest names for each target, against the imports of its files: a name that no file
/// imports is compiled in vain.
@Suite("The dependencies of Package.swift")
struct DependencyTests {
    private struct Target {
        let name: String
        let isProgram: Bool
        let isTest: Bool
        let dependencies: [String]
        let path: String?
    }

    /// Dependencies that are linked for what they do, not for what they declare.
    private static let linkedOnly: [String: Set<String>] = [
        "Security": ["CLatchkeySignatureNote"], "SecurityTesting": ["CLatchkeyFoundationWatch"],
        "CryptoKitTests": ["LatchkeyCommonCryptoFunctions"], "latchkey-bench": ["LatchkeyCommonCryptoFunctions"],
        "OldCipher": ["LatchkeyCommonCryptoFunctions"],
    ]

    private let targets: [Target]

    init() throws {
        let manifest = try Project.text("Package.swift")
        let entry =
            /\.(target|executableTarget|testTarget)\(\s*name: "([^"]+)",\s*dependencies: \[([^\]]*)\](?:,\s*path: "([^"]+)")?/
        targets = manifest.matches(of: entry).map { match in
            let products = match.3.replacing(/\.product\(name: ("[^"]+"), package: "[^"]+"\)/) { $0.output.1 }
            return Target(
                name: String(match.2), isProgram: match.1 == "executableTarget", isTest: match.1 == "testTarget",
                dependencies: products.matches(of: /"([^"]+)"/).map { String($0.output.1) },
                path: match.4.map(String.init))
        }
    }

    /// The folder of a target without a path: the manifest finds its house by its name.
    private func folder(of target: Target) throws -> String {
        if let path = target.path { return path }
        let name = target.name.replacing(/^Latchkey/, with: "").replacing(/^CLatchkey/, with: "C")
        let root = target.isTest ? "Tests" : "Sources"
        let houses = try FileManager.default.contentsOfDirectory(atPath: Project.root.path + "/" + root)
        return try #require(
            houses.map { "\(root)/\($0)/\(name)" }.first { Project.exists($0) }, "\(target.name) has no folder")
    }

    private func imports(of target: Target) throws -> Set<String> {
        let line =
            /(?m)^(?:@\w+(?:\(\w+\))? |public |package |internal )*import (?:struct |class |enum |func )?(\w+)/
        return try Project.files(below: folder(of: target), suffix: ".swift").reduce(into: []) { modules, file in
            modules.formUnion(try Project.text(file).matches(of: line).map { String($0.output.1) })
        }
    }

    @Test("are imported, apart from programs that are run and modules that are only linked")
    func imported() throws {
        #expect(targets.count > 100)
        let programs = Set(targets.filter(\.isProgram).map(\.name))
        for target in targets {
            let imports = try imports(of: target)
            // A target of C includes headers.
            guard !imports.isEmpty else { continue }
            let excepted = programs.union(Self.linkedOnly[target.name] ?? [])
            for name in target.dependencies where !excepted.contains(name) {
                #expect(imports.contains(name), "no file of \(target.name) imports \(name): take it out")
            }
        }
    }

    @Test("of Security have swift-crypto behind the trait PostQuantum alone, in files that the trait takes along")
    func trait() throws {
        let byName = Dictionary(targets.map { ($0.name, $0) }) { first, _ in first }
        var (needed, rest): (Set<String>, [String]) = ([], ["Security"])
        while let name = rest.popLast() {
            guard let target = byName[name], needed.insert(name).inserted else { continue }
            #expect(!target.dependencies.contains("Crypto"), "\(name) always needs swift-crypto")
            rest += target.dependencies
            for file in try Project.files(below: folder(of: target), suffix: ".swift") {
                let text = try Project.text(file)
                #expect(
                    !text.contains(/(?m)^(@\w+ )?import (Crypto|CCryptoBoringSSL)$/)
                        || text.hasPrefix("#if PostQuantum\n"), "\(file)")
            }
        }
        #expect(needed.isSuperset(of: ["LatchkeyAsymmetricKeys", "LatchkeyPostQuantumKeys", "LatchkeyEnclaveService"]))
        #expect(try Project.text("Package.swift").contains("condition: .when(traits: [\"PostQuantum\"])"))
    }

    @Test("that are only linked are named, and not imported")
    func exceptions() throws {
        for (name, dependencies) in Self.linkedOnly {
            let target = try #require(targets.first { $0.name == name }, "\(name)")
            #expect(dependencies.isSubset(of: target.dependencies), "\(name)")
            #expect(try imports(of: target).isDisjoint(with: dependencies), "\(name)")
        }
    }
}
