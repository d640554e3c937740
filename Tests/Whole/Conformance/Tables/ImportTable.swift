import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// The items that `SecPKCS12Import` stores (`SecImportExport.c`).
    static let imports = Table { table in
        table.addImportsWithoutItems()
        table.addStoredImports()
        table.addRefusedImports()
    }

    private static let source = "SecImportExport.c"

    private mutating func addImportsWithoutItems() {
        let options: [(String, [CFString: Any])] = [
            ("no word about a keychain", [:]),
            ("kSecUseDataProtectionKeychain false", [kSecUseDataProtectionKeychain: false]),
            ("kSecImportToMemoryOnly", [kSecImportToMemoryOnly: true]),
            (
                "kSecImportToMemoryOnly beside kSecUseDataProtectionKeychain",
                [kSecImportToMemoryOnly: true, kSecUseDataProtectionKeychain: true]
            ),
        ]
        for (name, extra) in options.map({ ($0.0, UncheckedOptions($0.1)) }) {
            row(Self.source, "an import with \(name) stores nothing", only: .identity) { s in
                let items = try s.importPapers(extra.pairs)
                s.expect(items.count == 1, "one identity")
                for itemClass in [kSecClassIdentity, kSecClassCertificate, kSecClassKey] {
                    s.find([kSecClass: itemClass], gives: errSecItemNotFound)
                }
            }
        }
    }

    private mutating func addStoredImports() {
        row(Self.source, "an import stores the identity and its chain", only: .identity) { s in
            let papers = try Papers.made.get()
            let items = try s.importPapers([kSecUseDataProtectionKeychain: true])
            s.expect(items.first?[kSecImportItemIdentity] as AnyObject?, is: papers.identity, "what it returns")
            s.expect(s.find([kSecReturnRef: true]), is: papers.identity, "the identity")
            s.expect(s.count([kSecClass: kSecClassCertificate]) == 3, "three certificates")
            s.expect(s.count([kSecClass: kSecClassKey]) == 1, "one key")
            for certificate in [papers.leaf, papers.intermediate, papers.root] {
                s.find([kSecClass: kSecClassCertificate, kSecValueRef: certificate])
            }
        }
        row(Self.source, "an item that is stored already is not an error", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecClass: kSecClassCertificate, kSecValueRef: papers.intermediate])
            for _ in 0..<2 { try s.importPapers([kSecUseDataProtectionKeychain: true]) }
            s.expect(s.count([kSecClass: kSecClassCertificate]) == 3, "three certificates")
            s.expect(s.count([:]) == 1, "one identity")
        }
        row(Self.source, "the other options are attributes of every item", only: .identity) { s in
            try s.importPapers([
                kSecUseDataProtectionKeychain: true, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                kSecAttrLabel: "imported",
            ])
            for itemClass in [kSecClassKey, kSecClassCertificate] {
                let all: [CFString: Any] = [
                    kSecClass: itemClass, kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
                ]
                for item in s.find(all) as? [[String: Any]] ?? [] {
                    s.expect(item["pdmn"], is: "ck", "protection class")
                    s.expect(item["labl"], is: "imported", "label")
                }
            }
            s.expect(s.count([kSecClass: kSecClassCertificate, kSecAttrLabel: "imported"]) == 3, "certificates")
        }
        row(Self.source, "a group among the options is where the items go", only: .identity) { s in
            let both = s.seen(by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).a", "\(s.name).b"]))
            try both.importPapers([kSecUseDataProtectionKeychain: true, kSecAttrAccessGroup: "\(s.name).b"])
            both.find([kSecAttrAccessGroup: "\(s.name).a"], gives: errSecItemNotFound)
            s.expect(both.count([kSecAttrAccessGroup: "\(s.name).b"]) == 1, "one identity")
        }
    }

    private mutating func addRefusedImports() {
        let refused: [(String, [CFString: Any], OSStatus)] = [
            ("a foreign group", [kSecAttrAccessGroup: "foreign"], errSecMissingEntitlement),
            ("an unknown attribute", ["zzzz": 1], errSecNoSuchAttr),
            ("a value of the wrong kind", [kSecAttrAccessible: 5], errSecParam),
        ]
        for (name, extra, status) in refused.map({ ($0.0, UncheckedOptions($0.1), $0.2) }) {
            row(Self.source, "\(name) among the options of an import is told", only: .identity) { s in
                let options = extra.pairs.merging([kSecUseDataProtectionKeychain: true]) { $1 }
                let items = try s.importPapers(options, gives: status)
                s.expect(items.count == 1, "the file was read")
                s.find([:], gives: errSecItemNotFound)
                // Where nothing is stored, no attribute is looked at.
                try s.importPapers(extra.pairs)
            }
        }
        row(Self.source, "a file that does not open stores nothing", only: .identity) { s in
            let options: [CFString: Any] = [
                kSecUseDataProtectionKeychain: true, kSecImportExportPassphrase: "wrong",
            ]
            s.expect(try s.importPapers(options, gives: errSecAuthFailed).isEmpty, "no items")
            s.find([:], gives: errSecItemNotFound)
        }
    }
}

/// Options of an import, which are not changed.
private struct UncheckedOptions: @unchecked Sendable {
    let pairs: [CFString: Any]

    init(_ pairs: [CFString: Any]) { self.pairs = pairs }
}

extension Scene {
    /// Imports the file of the papers, with its passphrase unless the options name one.
    @discardableResult
    fileprivate func importPapers(
        _ options: [CFString: Any], gives wanted: OSStatus = errSecSuccess,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> [[CFString: Any]] {
        let file = try Papers.made.get().file
        let options = options.merging([kSecImportExportPassphrase: Papers.passphrase]) { given, _ in given }
        var items: CFArray?
        let status = app.run { SecPKCS12Import(file as CFData, options as CFDictionary, &items) }
        check(status, wanted, "import", location)
        return items as? [[CFString: Any]] ?? []
    }
}
