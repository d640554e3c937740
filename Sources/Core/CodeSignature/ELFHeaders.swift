/// The headers of a little-endian ELF file, 32 or 64 bit, from unchecked bytes.
struct ELFHeaders {
    struct Segment {
        let type: UInt32
        let offset: UInt64
        let address: UInt64
        let byteCount: UInt64
        let alignment: UInt64
    }

    struct Section {
        let type: UInt32
        let offset: UInt64
        let byteCount: UInt64
        let alignment: UInt64
    }

    static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
    /// Linux's limit for a program that it starts.
    private static let segmentTableLimit = 64 * 1024
    private static let sectionTableLimit = 4 << 20

    let is64Bit: Bool
    let segments: [Segment]
    let sections: [Section]
    /// The file header and both tables.
    let tables: [Range<UInt64>]

    /// Nil if the file is not for a little-endian machine.
    init?(file: ProgramFile) throws(SignatureFailure) {
        guard let start = file.range(from: 0, count: 52) else { throw .malformedProgram("its header is cut off") }
        let identifier = try file.bytes(start)
        guard identifier[5] == 1 else { return nil }
        guard identifier[4] == 1 || identifier[4] == 2 else { throw .malformedProgram("it is for no known machine") }
        is64Bit = identifier[4] == 2
        guard let whole = file.range(from: 0, count: is64Bit ? 64 : 52) else {
            throw .malformedProgram("its header is cut off")
        }
        let header = LittleEndianBytes(try file.bytes(whole), has64BitWords: is64Bit)
        let counts = is64Bit ? 54 : 42
        let segmentTable = try Self.table(
            "program headers", of: file, at: header.word(is64Bit ? 32 : 28), entries: header.u16(counts + 2),
            entryByteCount: header.u16(counts), expected: is64Bit ? 56 : 32, limit: Self.segmentTableLimit)
        let sectionTable = try Self.sectionTable(
            of: file, at: header.word(is64Bit ? 40 : 32), entries: header.u16(counts + 6),
            entryByteCount: header.u16(counts + 4), is64Bit: is64Bit)
        segments = try Self.segments(file.bytes(segmentTable), is64Bit: is64Bit)
        sections = try Self.sections(file.bytes(sectionTable), is64Bit: is64Bit)
        tables = [whole, segmentTable, sectionTable].filter { !$0.isEmpty }
    }

    /// Reads the section table; the length of one with more than 65,279 sections is in its first entry.
    private static func sectionTable(
        of file: ProgramFile, at offset: UInt64, entries: Int, entryByteCount: Int, is64Bit: Bool
    ) throws(SignatureFailure) -> Range<UInt64> {
        guard offset != 0 else { return 0..<0 }
        let expected = is64Bit ? 64 : 40
        var entries = entries
        if entries == 0 {
            let first = try table(
                "section headers", of: file, at: offset, entries: 1, entryByteCount: entryByteCount, expected: expected,
                limit: expected)
            let length = LittleEndianBytes(try file.bytes(first), has64BitWords: is64Bit).word(is64Bit ? 32 : 20)
            guard length <= sectionTableLimit / expected else { throw .malformedProgram("it has too many sections") }
            entries = Int(length)
        }
        return try table(
            "section headers", of: file, at: offset, entries: entries, entryByteCount: entryByteCount,
            expected: expected, limit: sectionTableLimit)
    }

    private static func table(
        _ what: String, of file: ProgramFile, at offset: UInt64, entries: Int, entryByteCount: Int, expected: Int,
        limit: Int
    ) throws(SignatureFailure) -> Range<UInt64> {
        guard entries > 0 else { return 0..<0 }
        guard entryByteCount == expected else { throw .malformedProgram("its \(what) have an unknown size") }
        guard entries * expected <= limit else { throw .malformedProgram("it has too many \(what)") }
        guard let range = file.range(from: offset, count: UInt64(entries * expected)) else {
            throw .malformedProgram("its \(what) are not in the file")
        }
        return range
    }

    private static func segments(_ bytes: [UInt8], is64Bit: Bool) -> [Segment] {
        let table = LittleEndianBytes(bytes, has64BitWords: is64Bit)
        return stride(from: 0, to: bytes.count, by: is64Bit ? 56 : 32).map { entry in
            Segment(
                type: table.u32(entry), offset: table.word(entry + (is64Bit ? 8 : 4)),
                address: table.word(entry + (is64Bit ? 16 : 8)), byteCount: table.word(entry + (is64Bit ? 32 : 16)),
                alignment: table.word(entry + (is64Bit ? 48 : 28)))
        }
    }

    private static func sections(_ bytes: [UInt8], is64Bit: Bool) -> [Section] {
        let table = LittleEndianBytes(bytes, has64BitWords: is64Bit)
        return stride(from: 0, to: bytes.count, by: is64Bit ? 64 : 40).map { entry in
            Section(
                type: table.u32(entry + 4), offset: table.word(entry + (is64Bit ? 24 : 16)),
                byteCount: table.word(entry + (is64Bit ? 32 : 20)),
                alignment: table.word(entry + (is64Bit ? 48 : 32)))
        }
    }
}

/// Numbers in bytes whose count the caller has checked.
struct LittleEndianBytes {
    let bytes: [UInt8]
    private let has64BitWords: Bool

    init(_ bytes: [UInt8], has64BitWords: Bool) {
        self.bytes = bytes
        self.has64BitWords = has64BitWords
    }

    func u16(_ offset: Int) -> Int { Int(number(offset, byteCount: 2)) }
    func u32(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(offset, byteCount: 4)) }
    /// An address or offset, of the machine's size.
    func word(_ offset: Int) -> UInt64 { number(offset, byteCount: has64BitWords ? 8 : 4) }

    private func number(_ offset: Int, byteCount: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in (offset..<offset + byteCount).reversed() { number = number << 8 | UInt64(bytes[index]) }
        return number
    }
}
