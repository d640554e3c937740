import LatchkeyAccessControl
import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Exports")
struct ExportWriterTests {
    private static let secrets = [
        "plain", "with blank", "quote\"inside", "back\\slash", "#hash", "comma,", "two\nlines", "\r\t", "päss", "\"",
        "\"\"",
    ]

    private func text(_ pieces: [Report.Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .secret(let secret): secret.text
            }
        }.joined()
    }

    @Test("what is written as netrc is read back the same", arguments: secrets)
    func netrc(_ secret: String) throws {
        let item = ExportWriter.Item(
            attributes: ["srvr": .string("host name"), "acct": .string("us\"er")], secret: SecretBox(secret))
        let pieces = try #require(ExportWriter.netrc(item))
        let file = try withBytes(text(pieces)) { try NetrcReader.read($0) }
        #expect(file.passwords.map(\.account) == ["us\"er"])
        #expect(file.passwords.map(\.secret.text) == [secret])
        #expect(
            file.passwords.map(\.place) == [
                .server(name: "host name", protocolCode: nil, port: nil, path: "", realm: "")
            ])
    }

    private func csv(_ items: [ExportWriter.Item]) throws -> (text: String, file: ImportedFile) {
        let text = text(ExportWriter.csv(try items.map { try #require(ExportWriter.CSVRecord($0)) }))
        return (text, try withBytes(text) { try BrowserColumns.read($0) })
    }

    @Test("what is written as CSV is read back the same", arguments: secrets)
    func csv(_ secret: String) throws {
        let item = ExportWriter.Item(
            attributes: [
                "srvr": .string("a.example"), "ptcl": .string("htps"), "port": .integer(8443), "path": .string("/p"),
                "acct": .string("a,b"), "labl": .string("la\"bel"), "icmt": .string("line\nline"),
            ], secret: SecretBox(secret))
        let (text, file) = try csv([item])
        #expect(text.hasPrefix("name,url,username,password,note\r\n"))
        let password = try #require(file.passwords.first)
        #expect(
            password.place == .server(name: "a.example", protocolCode: "htps", port: 8443, path: "/p", realm: ""))
        #expect(password.account == "a,b")
        #expect(password.label == "la\"bel")
        #expect(password.comment == "line\nline")
        #expect(password.secret.text == secret)
    }

    @Test(
        "secrets that are not text are in a column of their own, which is there only if it is needed",
        arguments: [[0xFF], [0], [0x1B, 0x5B], [0x61, 0xC3], [0x7F]] as [[UInt8]])
    func binary(_ secret: [UInt8]) throws {
        let item = ExportWriter.Item(
            attributes: ["srvr": .string("h"), "ptcl": .string("htps"), "labl": .string("h")],
            secret: SecretBox(copying: secret))
        let (text, file) = try csv([item])
        #expect(text == "name,url,username,password,note,passwordHex\r\nh,https://h,,,,\(secret.hex)\r\n")
        #expect(file.passwords.first?.secret.equals(SecretBox(copying: secret)) == true)
    }

    /// Items whose attributes the columns of browsers cannot say.
    private static let awkward: [[String: PropertyValue]] = [
        ["class": .string("genp")], ["class": .string("inet")],
        ["class": .string("genp"), "labl": .string("label alone")],
        ["class": .string("genp"), "svce": .string("https://looks.like/a?url#x"), "acct": .string("a")],
        ["class": .string("genp"), "svce": .string("s"), "labl": .string("")],
        ["class": .string("genp"), "svce": .string("a&b=c%d"), "acct": .string("zero\u{0}byte")],
        ["class": .string("genp"), "svce": .string("ü, \"q\"\nline"), "acct": .string(" "), "icmt": .string("\t")],
        [
            "class": .string("genp"), "svce": .string("s"), "desc": .string("kind"), "crtr": .integer(1_635_017_060),
            "type": .integer(7), "gena": .data([0, 0xFF]), "pdmn": .string("cku"), "sync": .integer(1),
            "invi": .integer(1),
        ],
        ["class": .string("inet"), "srvr": .string("UPPER.example"), "acct": .string("a")],
        ["class": .string("inet"), "srvr": .string("a b/c@d"), "path": .string("no slash"), "port": .integer(1)],
        [
            "class": .string("inet"), "srvr": .string("h"), "ptcl": .string("smb "), "sdmn": .string("realm"),
            "atyp": .string("dflt"), "path": .string("/x?y#z"),
        ],
        ["class": .string("inet"), "acct": .string("no server")],
    ]

    @Test("an item is imported with the attributes that it was exported with, whatever they are", arguments: awkward)
    func attributes(_ attributes: [String: PropertyValue]) throws {
        let (_, file) = try csv([.init(attributes: attributes, secret: SecretBox("x"))])
        let password = try #require(file.passwords.first)
        #expect(.string(password.itemClass) == attributes["class"])
        var found = Dictionary(uniqueKeysWithValues: password.attributes.map { ($0.key, $0.value) })
        found[.string("class")] = attributes["class"]
        if password.isSynchronizable { found[.string("sync")] = .integer(1) }
        let expected = attributes.filter { $0.value != .string("") }.map { (PropertyValue.string($0.key), $0.value) }
        #expect(found == Dictionary(uniqueKeysWithValues: expected))
        #expect(password.primaryKey.count == (password.itemClass == "genp" ? 2 : 7))
    }

    @Test("conditions are exported without what binds them to this device")
    func conditions() throws {
        let rules = try AccessControl(protection: "aku", flags: .userPresence)
        let bound = try #require(rules.marked(asBound: true))
        let item = ExportWriter.Item(
            attributes: [
                "class": .string("genp"), "svce": .string("s"), "labl": .string("s"), "pdmn": .string("aku"),
                "accc": .reference(kind: "SecAccessControl", bytes: bound.serialised),
            ], secret: SecretBox("x"))
        let (_, file) = try csv([item])
        let attributes = try #require(file.passwords.first).attributes
        #expect(attributes.contains(QueryPair("accc", .reference(kind: "SecAccessControl", bytes: rules.serialised))))
        #expect(!attributes.contains { $0.key == .string("pdmn") })
    }

    @Test(
        "a column of this tool that is not what it writes ends the import",
        arguments: [
            ("url,username,password,passwordHex\na,b,c,00\n", TransferFailure(.badPasswordHex, line: 2)),
            ("url,username,password,passwordHex\na,b,,0g\n", TransferFailure(.badPasswordHex, line: 2)),
            ("url,username,password,latchkey\na,b,c,agrp=text:x\n", TransferFailure(.badCarriedAttributes, line: 2)),
            ("url,username,password,latchkey\na,b,c,labl\n", TransferFailure(.badCarriedAttributes, line: 2)),
            ("url,username,password,latchkey\na,b,c,labl=x\n", TransferFailure(.badCarriedAttributes, line: 2)),
            ("url,username,password,latchkey\na,b,c,labl=text:é\n", TransferFailure(.badCarriedAttributes, line: 2)),
            ("url,username,password,latchkey\na,b,c,labl=text:%4\n", TransferFailure(.badCarriedAttributes, line: 2)),
            ("url,username,password,latchkey\na,b,c,class=keys\n", TransferFailure(.badCarriedAttributes, line: 2)),
            ("url,username,password,latchkey\na,b,c,v_Data=hex:00\n", TransferFailure(.badCarriedAttributes, line: 2)),
        ])
    func foreignColumns(_ text: String, _ failure: TransferFailure) {
        #expect(throws: failure) { try withBytes(text) { try BrowserColumns.read($0) } }
    }

    @Test("what an import would not take back is not written")
    func tooLarge() {
        let large = SecretBox(copying: [UInt8](repeating: 0xFF, count: 600 * 1024))
        #expect(ExportWriter.CSVRecord(.init(attributes: ["svce": .string("s")], secret: large)) == nil)
    }

    @Test("a generic password and a secret that is not text have no place in a netrc file")
    func notInNetrc() {
        #expect(ExportWriter.netrc(.init(attributes: ["svce": .string("s")], secret: SecretBox("x"))) == nil)
        for secret in [[0x61, 0], [0xFF], [0x1B]] as [[UInt8]] {
            let item = ExportWriter.Item(attributes: ["srvr": .string("s")], secret: SecretBox(copying: secret))
            #expect(ExportWriter.netrc(item) == nil)
        }
    }
}

extension [UInt8] {
    fileprivate var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
