import LatchkeyCommandLineTool
import LatchkeySecretMemory
import Testing

@Suite("CSV files")
struct CSVReaderTests {
    struct Good: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let rows: [[String]]

        init(_ description: String, _ text: String, _ rows: [[String]]) {
            testDescription = description
            self.text = text
            self.rows = rows
        }
    }

    @Test(
        "well-formed files give the fields that stand in them",
        arguments: [
            Good("one record without a line end", "a,b", [["a", "b"]]),
            Good("LF", "a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
            Good("CRLF", "a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
            Good("byte order mark", "\u{FEFF}a,b\n", [["a", "b"]]),
            Good("empty fields", ",\n,,\n", [["", ""], ["", "", ""]]),
            Good("empty lines are not records", "a\n\n\r\nb\n\n", [["a"], ["b"]]),
            Good("an empty quoted field is a record", "\"\"\n", [[""]]),
            Good("comma in quotes", "\"a,b\",c", [["a,b", "c"]]),
            Good("doubled quotes", "\"a\"\"b\"\"\",\"\"\"\"", [["a\"b\"", "\""]]),
            Good("doubled quotes before a mark", "\"a\"\"\u{301}b\",c", [["a\"\u{301}b", "c"]]),
            Good("commas before a mark", "a,\u{301}b,\u{600},", [["a", "\u{301}b", "\u{600}", ""]]),
            Good("newlines in quotes", "\"a\nb\r\nc\",d\ne,f", [["a\nb\r\nc", "d"], ["e", "f"]]),
            Good("blanks belong to the field", " a ,\" b \"\n", [[" a ", " b "]]),
            Good("empty file", "", []),
            Good("only a byte order mark", "\u{FEFF}", []),
            Good("text beyond ASCII", "ä,🔑\n", [["ä", "🔑"]]),
        ])
    func wellFormed(_ file: Good) throws {
        try withBytes(file.text) { bytes in
            let records = try CSVReader.records(of: bytes)
            #expect(records.map { $0.fields.map { $0.text(in: bytes) } } == file.rows)
            #expect(records.map { $0.fields.map { $0.secret(in: bytes).text } } == file.rows)
        }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let failure: TransferFailure

        init(_ text: String, _ rule: TransferFailure.Rule, line: Int) {
            testDescription = rule.rawValue
            self.text = text
            failure = TransferFailure(rule, line: line)
        }
    }

    @Test(
        "a file that could be read in two ways is refused with its line",
        arguments: [
            Bad("a,b\nc\"d,e\n", .quoteInsidePlainField, line: 2),
            Bad("\"a\"b,c\n", .textAfterQuote, line: 1),
            Bad("\"a\" ,c\n", .textAfterQuote, line: 1),
            Bad("a\n\"b\nc\n", .quoteNotClosed, line: 2),
            Bad("\"", .quoteNotClosed, line: 1),
            Bad("a,b\nc\rd\n", .carriageReturn, line: 2),
            Bad("\"a\"\rb", .textAfterQuote, line: 1),
            Bad("a\0b", .zeroByte, line: 1),
            Bad("\"a\n\0\"", .zeroByte, line: 2),
            Bad(String(repeating: ",", count: 64), .tooManyFields, line: 1),
            Bad(String(repeating: "x", count: 1024 * 1024 + 1), .fieldTooLong, line: 1),
            Bad(String(repeating: "x\n", count: 100_001), .tooManyRecords, line: 100_001),
        ])
    func malformed(_ file: Bad) {
        _ = withBytes(file.text) { bytes in
            #expect(throws: file.failure) { try CSVReader.records(of: bytes) }
        }
    }

    @Test("64 fields and 1 MiB in a field are still taken")
    func limits() throws {
        let wide = try withBytes(String(repeating: ",", count: 63)) { try CSVReader.records(of: $0) }
        #expect(wide[0].fields.count == 64)
        let long = try withBytes(String(repeating: "x", count: 1024 * 1024)) { try CSVReader.records(of: $0) }
        #expect(long[0].fields[0].range.count == 1024 * 1024)
    }

    @Test("bytes that are no UTF-8 are a secret but no text")
    func notUTF8() throws {
        try [UInt8]([0xC3, 0x28, UInt8(ascii: ","), 0xFF]).withUnsafeBytes { bytes in
            let fields = try CSVReader.records(of: bytes)[0].fields
            #expect(fields.map { $0.text(in: bytes) } == [nil, nil])
            #expect(fields.map { $0.secret(in: bytes).count } == [2, 1])
        }
    }

    @Test("no arrangement of six significant bytes leads the reader outside the file", arguments: 0..<6)
    func exhaustive(first: Int) {
        let alphabet: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: ","), 0x0A, 0x0D, UInt8(ascii: "x"), 0]
        var accepted = 0
        var wrong: [[UInt8]] = []
        for number in 0..<7776 {
            var rest = number
            var text = [alphabet[first]]
            for _ in 0..<5 {
                text.append(alphabet[rest % 6])
                rest /= 6
            }
            guard let records = text.withUnsafeBytes({ try? CSVReader.records(of: $0) }) else { continue }
            accepted += 1
            // Every field lies inside the file, and fields never overlap.
            let ranges = records.flatMap { $0.fields.map(\.range) }
            let isInside = ranges.allSatisfy { $0.upperBound <= text.count }
            let isApart = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
            if !isInside || !isApart { wrong.append(text) }
        }
        #expect(wrong.isEmpty)
        #expect(alphabet[first] == 0 ? accepted == 0 : accepted > 0)
    }
}
