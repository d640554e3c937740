import Foundation
import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Texts in which a mark of a format and a combining mark make one character.
@Suite("Exports of marks that combine")
struct TransferFuzzTests {
    private static let pieces = [
        "\"", "\"", ",", "\n", "\r", "\r\n", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{600}", "\u{1F3FD}", "a", "é", "☝",
        " ",
        "/", ":", "://", "?", "#", "@", "[", "]", "=", "&", "%", "\\", ";", "'",
    ]

    /// Text that a reader that takes the quotation mark for closed would read as a record of its own.
    private static let forged = "a\"\u{301},x\nBank,https://bank.example,anna,EVIL,\nq,\""

    private static func text(_ random: inout SplitMix) -> String {
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
    }

    private struct Sample {
        var attributes: [String: String]
        var secret: String

        var item: ExportWriter.Item {
            .init(attributes: attributes.mapValues { .string($0) }, secret: SecretBox(secret))
        }
    }

    private static func samples(seed: UInt64, itemClass: String, keys: [String]) -> [Sample] {
        var random = SplitMix(seed: seed)
        var samples = (0..<300).map { _ in
            Sample(
                attributes: keys.reduce(into: ["class": itemClass]) { $0[$1] = text(&random) },
                secret: "s" + text(&random))
        }
        samples[0].attributes["acct"] = forged
        samples[1].secret = forged
        return samples
    }

    private func file(_ format: TransferFormat, of samples: [Sample]) -> [UInt8] {
        var export = PasswordExport(format: format)
        for sample in samples { export.add(sample.item) }
        return export.report.pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .text(let text): Array(text.utf8)
            case .bytes(let bytes): bytes
            case .secret(let secret): Array(secret.text.utf8)
            }
        }
    }

    /// As bytes: texts are the same if their characters look the same.
    private func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    @Test("Python reads the fields of a CSV file that were written", arguments: 1...4 as ClosedRange<UInt64>)
    func python(seed: UInt64) throws {
        let samples = Self.samples(seed: seed, itemClass: "genp", keys: ["svce", "acct", "labl", "icmt"])
        let rows = try Self.rows(file(.csv, of: samples)).dropFirst()
        try #require(rows.count == samples.count)
        for (row, sample) in zip(rows, samples) {
            let texts = ["labl", "svce", "acct", "icmt"].map { sample.attributes[$0] ?? "" }
            let name = texts[0].isEmpty ? texts[1] : texts[0]
            #expect(bytes(Array(row.prefix(5))) == bytes([name, texts[1], texts[2], sample.secret, texts[3]]))
        }
    }

    @Test("a CSV file is read back the same", arguments: 5...8 as ClosedRange<UInt64>, ["genp", "inet"])
    func csv(seed: UInt64, itemClass: String) throws {
        let keys = ["acct", "labl", "icmt"] + (itemClass == "genp" ? ["svce"] : ["srvr", "path", "sdmn"])
        var samples = Self.samples(seed: seed, itemClass: itemClass, keys: keys)
        // One item each: of two records with one key an import takes the first.
        for index in samples.indices { samples[index].attributes["acct", default: ""] += "\(index)" }
        let passwords = try TransferFormat.csv.read(SecretBox(copying: file(.csv, of: samples))).passwords
        try #require(passwords.count == samples.count)
        for (password, sample) in zip(passwords, samples) {
            #expect(password.itemClass == itemClass)
            #expect(bytes([password.secret.text]) == bytes([sample.secret]))
            let found = password.attributes.compactMap { pair -> [String]? in
                guard case (.string(let key), .string(let text)) = (pair.key, pair.value) else { return nil }
                return [key, text]
            }
            let expected = sample.attributes.filter { $0.key != "class" && !$0.value.isEmpty }
                .sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
            #expect(found.map(bytes) == expected.map(bytes))
        }
    }

    @Test("a netrc file is read back the same", arguments: 9...12 as ClosedRange<UInt64>)
    func netrc(seed: UInt64) throws {
        var samples = Self.samples(seed: seed, itemClass: "inet", keys: ["srvr", "acct"])
        for index in samples.indices { samples[index].attributes["srvr", default: ""] += "\(index)" }
        let passwords = try TransferFormat.netrc.read(SecretBox(copying: file(.netrc, of: samples))).passwords
        try #require(passwords.count == samples.count)
        for (password, sample) in zip(passwords, samples) {
            guard case .server(let name, _, _, _, _) = password.place else { throw TransferFailure(.unknownWord) }
            let expected = ["srvr", "acct"].map { sample.attributes[$0] ?? "" } + [sample.secret]
            #expect(bytes([name, password.account, password.secret.text]) == bytes(expected))
        }
    }

    /// The records of a file as Python reads them.
    private static func rows(_ file: [UInt8]) throws -> [[String]] {
        let program = """
            import csv, io, json, sys
            text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="")
            json.dump(list(csv.reader(text, strict=True)), sys.stdout)
            """
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("transfer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Through files: a pipe that is full would hold up both sides.
        let (source, output) = (folder.appendingPathComponent("in"), folder.appendingPathComponent("out"))
        try Data(file).write(to: source)
        try Data().write(to: output)
        let python = Process()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        python.arguments = ["-c", program]
        python.standardInput = try FileHandle(forReadingFrom: source)
        python.standardOutput = try FileHandle(forWritingTo: output)
        try python.run()
        python.waitUntilExit()
        try #require(python.terminationStatus == 0)
        return try JSONDecoder().decode([[String]].self, from: Data(contentsOf: output))
    }
}
