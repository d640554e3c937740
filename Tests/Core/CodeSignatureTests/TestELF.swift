import LatchkeyCodeSignature

/// An ELF file made by hand: headers that say whatever a test wants them to say.
struct TestELF {
    struct Segment {
        static let load: UInt64 = 1
        static let dynamic: UInt64 = 2
        static let interpreter: UInt64 = 3
        static let note: UInt64 = 4

        var type: UInt64
        var offset: UInt64
        var address: UInt64
        var byteCount: UInt64
        var alignment: UInt64 = 4
    }

    struct Section {
        static let note: UInt64 = 7

        var type: UInt64
        var offset: UInt64
        var byteCount: UInt64
        var alignment: UInt64 = 4
    }

    /// Where the content begins: behind room for 16 program headers.
    static let contentOffset: UInt64 = 1024

    var is64Bit = true
    var segments: [Segment] = []
    var sections: [Section] = []
    /// Fields of the file header that a test sets itself: offset in the file, number of bytes, value.
    var header: [(offset: Int, byteCount: Int, value: UInt64)] = []
    private var content: [UInt8] = []

    init(is64Bit: Bool = true) {
        self.is64Bit = is64Bit
    }

    /// Puts bytes into the file; their offset.
    mutating func append(_ bytes: [UInt8]) -> UInt64 {
        while content.count % 16 != 0 { content.append(0) }
        let offset = Self.contentOffset + UInt64(content.count)
        content += bytes
        return offset
    }

    /// Puts notes into the file, with a segment and, if asked for, a section that name them.
    @discardableResult
    mutating func append(notes: [UInt8], alignment: UInt64 = 4, withSection: Bool = false) -> UInt64 {
        let offset = append(notes)
        let byteCount = UInt64(notes.count)
        segments.append(
            Segment(type: Segment.note, offset: offset, address: offset, byteCount: byteCount, alignment: alignment))
        if withSection {
            sections.append(
                Section(type: Section.note, offset: offset, byteCount: byteCount, alignment: alignment))
        }
        return offset
    }

    /// Puts a dynamic section into the file, mapped where it lies, with the given strings.
    mutating func append(dynamic entries: [(tag: UInt64, value: UInt64)], strings: [UInt8]) {
        let word = is64Bit ? 8 : 4
        let stringsOffset = append(strings)
        let all = [(tag: 5, value: stringsOffset), (tag: 10, value: UInt64(strings.count))] + entries
        let bytes = all.flatMap { Self.number($0.tag, word) + Self.number($0.value, word) }
        let offset = append(bytes)
        segments.append(
            Segment(
                type: Segment.load, offset: Self.contentOffset, address: Self.contentOffset,
                byteCount: offset + UInt64(bytes.count) - Self.contentOffset))
        segments.append(
            Segment(type: Segment.dynamic, offset: offset, address: offset, byteCount: UInt64(bytes.count)))
    }

    var bytes: [UInt8] {
        let sectionOffset = sections.isEmpty ? 0 : Self.contentOffset + UInt64(content.count)
        let word = is64Bit ? 8 : 4
        var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, is64Bit ? 2 : 1, 1, 1] + [UInt8](repeating: 0, count: 9)
        file += Self.number(3, 2) + Self.number(62, 2) + Self.number(1, 4) + Self.number(0, word)
        file += Self.number(is64Bit ? 64 : 52, word) + Self.number(sectionOffset, word) + Self.number(0, 4)
        file += Self.number(is64Bit ? 64 : 52, 2) + Self.number(is64Bit ? 56 : 32, 2)
        file += Self.number(UInt64(segments.count), 2) + Self.number(is64Bit ? 64 : 40, 2)
        file += Self.number(UInt64(sections.count), 2) + Self.number(0, 2)
        for field in header {
            file.replaceSubrange(
                field.offset..<field.offset + field.byteCount, with: Self.number(field.value, field.byteCount))
        }
        file += segments.flatMap(bytes)
        file += [UInt8](repeating: 0, count: Int(Self.contentOffset) - file.count)
        file += content
        return file + sections.flatMap(bytes)
    }

    private func bytes(of segment: Segment) -> [UInt8] {
        let word = is64Bit ? 8 : 4
        let type = Self.number(segment.type, 4)
        let flags = Self.number(4, 4)
        let places = Self.number(segment.offset, word) + Self.number(segment.address, word) + Self.number(0, word)
        let sizes = Self.number(segment.byteCount, word) + Self.number(segment.byteCount, word)
        let alignment = Self.number(segment.alignment, word)
        return is64Bit ? type + flags + places + sizes + alignment : type + places + sizes + flags + alignment
    }

    private func bytes(of section: Section) -> [UInt8] {
        let word = is64Bit ? 8 : 4
        return Self.number(0, 4) + Self.number(section.type, 4) + Self.number(2, word) + Self.number(0, word)
            + Self.number(section.offset, word) + Self.number(section.byteCount, word) + Self.number(0, 8)
            + Self.number(section.alignment, word) + Self.number(0, word)
    }

    /// A note in 4-byte alignment.
    static func note(
        name: [UInt8] = SignatureNote.name, type: UInt32 = SignatureNote.type, _ descriptor: [UInt8]
    ) -> [UInt8] {
        number(UInt64(name.count), 4) + number(UInt64(descriptor.count), 4) + number(UInt64(type), 4)
            + padded(name) + padded(descriptor)
    }

    /// A signature note, empty or with a blob.
    static func signatureNote(_ blob: [UInt8] = []) -> [UInt8] {
        let filled = number(UInt64(blob.count), 4) + blob
        return note(filled + [UInt8](repeating: 0, count: SignatureNote.descriptorByteCount - filled.count))
    }

    static func number(_ number: UInt64, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
}
