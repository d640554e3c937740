import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Input that is for others, or means harm or nonsense.
    static let refusals = Table { table in
        table.addPrivateColumns()
        table.addHugeValues()
        table.addNesting()
        table.addStrangeText()
    }

    private mutating func addPrivateColumns() {
        for name in ["binn", "bini", "bin0", "bin1", "bin2", "bin3"] {
            row("5.3, 6.11", "\(name) is for Apple's own programs", only: .internet) { s in
                let status = s.app.run { SecItemAdd(s.classed([name as CFString: Data([1])]), nil) }
                s.expect(status == errSecMissingEntitlement || status == errSecNoSuchAttr, "add gave \(status)")
                s.expect(s.count([:]) == 0, "nothing stored")
            }
        }
        row("6.1", "a token is refused, not ignored") { s in
            let status = s.app.run { SecItemAdd(s.classed([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]), nil) }
            s.expect(status != errSecSuccess, "add gave \(status)")
            s.expect(s.count([:]) == 0, "nothing stored")
        }
    }

    private mutating func addHugeValues() {
        row("5.1", "an account of 64 KiB is an account") { s in
            let account = String(repeating: "ä", count: 32768)
            s.add([kSecAttrAccount: account])
            s.expect(s.attributes(of: [kSecAttrAccount: account])["acct"], is: account, "account")
        }
        row("6.3", "a mebibyte of data comes back as it was") { s in
            let data = Data((0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 / 257) })
            s.add([kSecValueData: data])
            s.expect(s.data(of: [:]), is: data, "data")
            s.update([:], [kSecValueData: Data("small".utf8)])
            s.expect(s.data(of: [:]), is: Data("small".utf8), "data")
        }
        row("6.3", "data beyond every limit is refused and loses nothing") { s in
            s.add([kSecAttrAccount: "a", kSecValueData: Data("kept".utf8)])
            let huge = Data(count: 17 * 1_048_576)
            let statuses = s.app.run {
                [
                    SecItemAdd(s.classed([kSecAttrAccount: "b", kSecValueData: huge]), nil),
                    SecItemUpdate(s.classed([kSecAttrAccount: "a"]), [kSecValueData: huge] as NSDictionary),
                ]
            }
            for status in statuses { s.expect(status == errSecDataTooLarge, "gave \(status)") }
            s.expect(s.data(of: [kSecAttrAccount: "a"]), is: Data("kept".utf8), "data")
            s.expect(s.count([:]) == 1, "nothing stored")
        }
        row("6.1", "a key of 64 KiB is refused") { s in
            s.find([String(repeating: "k", count: 65536) as CFString: 1], gives: errSecParam)
        }
    }

    private mutating func addNesting() {
        for depth in [1, 20, 500] {
            row("5.1", "an array nested \(depth) deep is not an attribute") { s in
                var value: Any = ["x"]
                for _ in 0..<depth { value = [value] }
                s.allRefuse([kSecAttrAccount: value], gives: errSecParam)
            }
            row("5.1", "a dictionary nested \(depth) deep is not an attribute") { s in
                var value: Any = ["x": 1]
                for _ in 0..<depth { value = ["x": value] }
                s.allRefuse([kSecAttrLabel: value], gives: errSecParam)
            }
        }
        row("6.1", "an array nested deep in an ignored key does no harm") { s in
            s.add([:])
            var value: Any = ["x"]
            for _ in 0..<500 { value = [value] }
            let status = s.app.run { SecItemCopyMatching(s.classed(["m_Ignored": value]), nil) }
            s.expect(status == errSecSuccess || status == errSecParam, "find gave \(status)")
            s.expect(s.count([:]) == 1, "the keychain still answers")
        }
    }

    private mutating func addStrangeText() {
        let texts: [(String, String)] = [
            ("a zero character", "a\0b"), ("control characters", "a\u{1}\u{1b}[31m\r\n"), ("an emoji", "🗝️👩‍👩‍👧"),
            ("right-to-left text", "مفتاح\u{202e}abc"), ("a quote", "'; DROP TABLE genp; --"),
            ("text beyond the basic plane", "𝔘𝔫𝔦"), ("a format", "%@%s%n%1$x"), ("a path", "../../etc/passwd"),
            ("the replacement character", "\u{fffd}"), ("a byte order mark", "\u{feff}a"),
        ]
        for (name, text) in texts {
            row("5.1", "\(name) is stored, found and returned as it is") { s in
                s.add([kSecAttrAccount: text, kSecAttrLabel: text, kSecAttrSyncViewHint: text])
                let found = s.attributes(of: [kSecAttrAccount: text, kSecAttrSyncViewHint: text])
                s.expect(found["acct"], is: text, "account")
                s.expect(found["labl"], is: text, "label")
                s.delete([kSecAttrLabel: text])
            }
        }
        row("5.1", "Data that is no UTF-8 is a value of its own") { s in
            s.add([kSecAttrAccount: Data([0xc3, 0x28])])
            s.add([kSecAttrAccount: "\u{fffd}("])
            s.add([kSecAttrAccount: Data([0xff])])
            s.expect(s.count([:]) == 3, "three items")
            s.expect(s.attributes(of: [kSecAttrAccount: Data([0xff])])["acct"], is: Data([0xff]), "account")
        }
        row("6.1", "strange keys are refused") { s in
            for key in ["\0\0\0\0\0", "ключ", "r_Data\0", "m", "🗝️🗝️🗝️🗝️🗝️", "v_Data "] {
                s.find([key as CFString: true], gives: errSecParam)
            }
        }
        row("6.1", "a key with half a character does no harm") { s in
            let half = NSString(characters: [0xd800, 0x61, 0x62, 0x63, 0x64], length: 5)
            let status = s.app.run { SecItemCopyMatching(s.classed([half: "x"]), nil) }
            s.expect(status != errSecSuccess, "find gave \(status)")
        }
        row("5.1", "an account with half a character does no harm") { s in
            let half = NSString(characters: [0x61, 0xd800, 0x62], length: 3)
            let status = s.app.run { SecItemAdd(s.classed([kSecAttrAccount: half]), nil) }
            s.expect(status == errSecSuccess || status == errSecParam, "add gave \(status)")
            s.expect(s.count([:]) == (status == errSecSuccess ? 1 : 0), "stored only if it says so")
        }
    }
}
