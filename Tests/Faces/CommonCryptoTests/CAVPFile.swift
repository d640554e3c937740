import Foundation
import LatchkeyTestSupport
import Testing

/// A vector file in the form of NIST's algorithm validation programme, from Debian's package.
struct CAVPFile {
    struct Record {
        /// The last line in brackets before it, for instance `ENCRYPT`.
        let section: String
        fileprivate let source: [UInt8]
        fileprivate let fields: [String: Range<Int>]

        /// The bytes of a field, by its name in small letters; nil if it has none of the name.
        func bytes(_ name: String) throws -> [UInt8]? {
            try fields[name].map { try #require(Hex(ascii: source[$0])).bytes }
        }

        func text(_ name: String) -> String? {
            fields[name].map { String(decoding: source[$0], as: UTF8.self) }
        }

        func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }

        /// The record says that the operation must fail.
        var isRefusal: Bool { fields["fail"] != nil }
    }

    let records: [Record]

    private static let folder = "/usr/lib/python3/dist-packages/cryptography_vectors"

    /// - Parameter path: below the package's folder.
    init(_ path: String) throws {
        try #require(
            FileManager.default.fileExists(atPath: Self.folder),
            "python3-cryptography-vectors is missing (apt-get install python3-cryptography-vectors)")
        let source = Array(try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/\(path)")))
        var reader = LineReader(source: source)
        while reader.readLine() {}
        records = reader.finished()
        try #require(!records.isEmpty)
    }
}

/// Goes through the bytes of the file: strings of all its lines would cost more than the ciphers.
private struct LineReader {
    let source: [UInt8]
    private var position = 0
    private var section = ""
    private var fields: [String: Range<Int>] = [:]
    private var records: [CAVPFile.Record] = []

    init(source: [UInt8]) {
        self.source = source
    }

    /// False at the end of the file.
    mutating func readLine() -> Bool {
        guard position < source.count else { return false }
        let end = source[position...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
        let line = trimmed(position..<end)
        position = end + 1
        switch line.isEmpty ? nil : source[line.lowerBound] {
        case nil:
            endRecord()
        case UInt8(ascii: "#"):
            break
        case UInt8(ascii: "["):
            endRecord()
            section = String(decoding: source[line.dropFirst().dropLast()], as: UTF8.self)
        default:
            readField(line)
        }
        return true
    }

    private mutating func readField(_ line: Range<Int>) {
        let equals = source[line].firstIndex(of: UInt8(ascii: "=")) ?? line.upperBound
        let name = String(decoding: source[trimmed(line.lowerBound..<equals)], as: UTF8.self).lowercased()
        // Some files have no line between two records.
        if fields[name] != nil { endRecord() }
        fields[name] = trimmed(min(equals + 1, line.upperBound)..<line.upperBound)
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isSpace(source[start]) { start += 1 }
        while end > start, isSpace(source[end - 1]) { end -= 1 }
        return start..<end
    }

    private mutating func endRecord() {
        guard !fields.isEmpty else { return }
        records.append(CAVPFile.Record(section: section, source: source, fields: fields))
        fields = [:]
    }

    mutating func finished() -> [CAVPFile.Record] {
        endRecord()
        return records
    }
}
