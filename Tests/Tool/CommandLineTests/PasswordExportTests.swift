import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("An export holds no more than an import takes")
struct PasswordExportTests {
    private func item(_ name: String, secret: SecretBox) -> ExportWriter.Item {
        ExportWriter.Item(attributes: ["srvr": .string(name), "acct": .string("a")], secret: secret)
    }

    private func bytes(_ report: Report) -> [UInt8] {
        report.pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            case .secret(let secret): unsafe secret.withBytes { unsafe Array($0) }
            }
        }
    }

    private func read(_ export: PasswordExport, _ format: TransferFormat) throws -> Int {
        try format.read(SecretBox(copying: bytes(export.report))).passwords.count
    }

    @Test("what goes beyond 16 MiB is left out, said, and the rest is read back", arguments: TransferFormat.allCases)
    func fileTooLargeSoak(_ format: TransferFormat) throws {
        let large = SecretBox(copying: [UInt8](repeating: UInt8(ascii: "x"), count: 500_000))
        var export = PasswordExport(format: format)
        for number in 0..<34 { export.add(item("host\(number)", secret: large)) }
        #expect(export.report.status == .partlyTransferred)
        #expect(export.summary.contains("Left out: 1 password, beyond what an import takes"), "\(export.summary)")
        #expect(try read(export, format) == 33)
        // A smaller one finds room.
        export.add(item("small", secret: SecretBox(copying: Array("s".utf8))))
        #expect(try read(export, format) == 34)
    }

    @Test("what goes beyond 100,000 records is left out, said, and the rest is read back")
    func tooManyRecordsSoak() throws {
        var export = PasswordExport(format: .csv)
        let secret = SecretBox(copying: Array("s".utf8))
        for number in 0..<100_001 { export.add(item("h\(number)", secret: secret)) }
        // The header is a record.
        #expect(export.summary.contains("Left out: 2 passwords, beyond what an import takes"), "\(export.summary)")
        #expect(try read(export, .csv) == 99_999)
    }

    /// Accounts that no file of text can hold.
    private static let accounts: [PropertyValue] = [
        .data([0x61, 0, 0x62]), .data([0xFF]), .data([0x61]), .string("a\u{0}b"),
    ]

    @Test("an item whose account is not text is left out of a netrc file, which is said", arguments: accounts)
    func accountNotText(_ account: PropertyValue) throws {
        let secret = SecretBox("s3cret")
        var export = PasswordExport(format: .netrc)
        export.add(.init(attributes: ["srvr": .string("h"), "acct": account], secret: secret))
        export.add(.init(attributes: ["srvr": .string("none")], secret: secret))
        export.add(.init(attributes: ["acct": .string("no server")], secret: secret))
        #expect(String(decoding: bytes(export.report), as: UTF8.self) == "machine none password s3cret\n")
        #expect(export.report.status == .partlyTransferred)
        #expect(export.summary.contains("Left out: 2 passwords, without a server, or with"), "\(export.summary)")
    }

    @Test("an account that is not text is in the column latchkey of a CSV file, which is said", arguments: accounts)
    func accountInColumn(_ account: PropertyValue) throws {
        var export = PasswordExport(format: .csv)
        let item: [String: PropertyValue] = ["class": .string("inet"), "srvr": .string("h"), "acct": account]
        export.add(.init(attributes: item, secret: SecretBox("s")))
        export.add(self.item("plain", secret: SecretBox("s")))
        let sentence = "1 of them has a name or an account that is not text: see the column latchkey"
        #expect(export.summary.contains(sentence), "\(export.summary)")
        #expect(export.report.status == .success)
        let file = try TransferFormat.csv.read(SecretBox(copying: bytes(export.report)))
        #expect(file.passwords.first?.attributes.first { $0.key == .string("acct") }?.value == account)
    }

    @Test("two spellings of the same characters are two logins of a netrc file")
    func spellings() {
        var export = PasswordExport(format: .netrc)
        for account in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            export.add(.init(attributes: ["srvr": .string("h"), "acct": .string(account)], secret: SecretBox("s")))
        }
        #expect(export.summary.contains("2 passwords exported"), "\(export.summary)")
        #expect(export.summary.contains("Left out: 1 password, of a machine and login"), "\(export.summary)")
    }

    @Test("columns that one record needs are counted for all of them")
    func furtherColumns() throws {
        let large = SecretBox(copying: [UInt8](repeating: UInt8(ascii: "x"), count: 1_048_000))
        var export = PasswordExport(format: .csv)
        for number in 0..<16 { export.add(item("host\(number)", secret: large)) }
        let room = TransferLimits.fileByteCount - bytes(export.report).count
        // Fills the file up to the commas of a column that only the last record needs.
        let filling = SecretBox(copying: [UInt8](repeating: UInt8(ascii: "x"), count: room - 60))
        export.add(item("last", secret: filling))
        export.add(item("b", secret: SecretBox(copying: [0xFF])))
        let file = bytes(export.report)
        #expect(file.count <= TransferLimits.fileByteCount)
        #expect(throws: Never.self) { try TransferFormat.csv.read(SecretBox(copying: file)) }
    }
}
