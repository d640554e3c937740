import Foundation
import Testing

@Suite("The names of the products")
struct ProductNameTests {
    /// In the order of `Package.swift`.
    private static func names() throws -> [String] {
        let package = try Project.text("Package.swift")
        let products = try #require(package.components(separatedBy: "    products: [").dropFirst().first)
            .components(separatedBy: "\n    ],")[0]
        return products.matches(of: /\.(?:library|executable|plugin)\(\s*name: "([^"]+)"/).map { String($0.output.1) }
    }

    @Test("do not differ by case alone: a file system may not tell such archives apart, and people do not")
    func distinct() throws {
        let names = try Self.names()
        #expect(names.count > 10 && names.contains("CommonCrypto") && names.contains("latchkeyd"))
        let alike = Dictionary(grouping: names) { $0.lowercased() }.values.filter { $0.count > 1 }
        #expect(alike.isEmpty)
    }
}
