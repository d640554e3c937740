import LatchkeyCommandLineTool
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

    @Test("what is written as CSV is read back the same", arguments: secrets)
    func csv(_ secret: String) throws {
        let item = ExportWriter.Item(
            attributes: [
                "srvr": .string("a.example"), "ptcl": .string("htps"), "port": .integer(8443), "path": .string("/p"),
                "acct": .string("a,b"), "labl": .string("la\"bel"), "icmt": .string("line\nline"),
            ], secret: SecretBox(secret))
        let file = try withBytes(ExportWriter.csvHeader + text(ExportWriter.csv(item))) { try BrowserColumns.read($0) }
        let password = try #require(file.passwords.first)
        #expect(
            password.place == .server(name: "a.example", protocolCode: "htps", port: 8443, path: "/p", realm: ""))
        #expect(password.account == "a,b")
        #expect(password.label == "la\"bel")
        #expect(password.comment == "line\nline")
        #expect(password.secret.text == secret)
    }

    @Test("a generic password and a secret with a zero byte have no place in a netrc file")
    func notInNetrc() {
        #expect(ExportWriter.netrc(.init(attributes: ["svce": .string("s")], secret: SecretBox("x"))) == nil)
        #expect(ExportWriter.netrc(.init(attributes: ["srvr": .string("s")], secret: SecretBox("a\0b"))) == nil)
    }
}
