/// A search for signature notes in an ELF file. The work is limited for every file.
struct ELFNotes {
    private static let noteSegment: UInt32 = 4
    private static let noteSection: UInt32 = 7
    private static let headerByteCount: UInt64 = 12
    /// Notes of all segments and sections together.
    private static let noteLimit = 16_384
    private static let rangeLimit = 16

    private let file: ProgramFile
    private var notesLeft = noteLimit
    private var found: Set<Range<UInt64>> = []

    /// Returns the descriptors of all signature notes, in the order of the file, each once.
    static func signatureRanges(in file: ProgramFile, headers: ELFHeaders) throws(SignatureFailure) -> [Range<UInt64>] {
        var notes = ELFNotes(file: file)
        for segment in headers.segments where segment.type == noteSegment {
            try notes.walk(from: segment.offset, byteCount: segment.byteCount, alignment: segment.alignment)
        }
        for section in headers.sections where section.type == noteSection {
            try notes.walk(from: section.offset, byteCount: section.byteCount, alignment: section.alignment)
        }
        let ranges = notes.found.sorted { $0.lowerBound < $1.lowerBound }
        // Bytes that a digest leaves out must have no other meaning.
        var former: Range<UInt64> = 0..<0
        for range in ranges {
            let whole = range.lowerBound - min(range.lowerBound, SignatureNote.descriptorOffset)..<range.upperBound
            guard !whole.overlaps(former), !headers.tables.contains(where: whole.overlaps) else {
                throw .malformedProgram("a signature note overlaps another part")
            }
            former = whole
        }
        return ranges
    }

    private init(file: ProgramFile) {
        self.file = file
    }

    private mutating func walk(
        from start: UInt64, byteCount: UInt64, alignment: UInt64
    ) throws(SignatureFailure) {
        guard let area = file.range(from: start, count: byteCount) else {
            throw .malformedProgram("its notes are not in the file")
        }
        // Files with notes aligned to 8 bytes say so; all others mean 4, whatever they say.
        let alignment: UInt64 = alignment == 8 ? 8 : 4
        let nameByteCount = UInt64(SignatureNote.name.count)
        var position = area.lowerBound
        while position < area.upperBound, area.upperBound - position >= Self.headerByteCount {
            guard notesLeft > 0 else { throw .malformedProgram("it has too many notes") }
            notesLeft -= 1
            let rest = area.upperBound - position
            let head = LittleEndianBytes(
                try file.bytes(position..<position + min(rest, Self.headerByteCount + nameByteCount)),
                has64BitWords: false)
            // Each has 32 bits: no sum overflows.
            let nameEnd = Self.headerByteCount + UInt64(head.u32(0))
            let start = Self.roundedUp(nameEnd, to: alignment)
            let end = start + UInt64(head.u32(4))
            guard nameEnd <= rest, end <= rest || end == start else {
                throw .malformedProgram("one of its notes is cut off")
            }
            if head.u32(8) == SignatureNote.type, head.u32(0) == nameByteCount,
                head.bytes.dropFirst(Int(Self.headerByteCount)).elementsEqual(SignatureNote.name)
            {
                try take(position + start..<position + end)
            }
            position += Self.roundedUp(end, to: alignment)
        }
    }

    private mutating func take(_ descriptor: Range<UInt64>) throws(SignatureFailure) {
        guard descriptor.count == SignatureNote.descriptorByteCount else {
            throw .malformedProgram("its signature note has another size than \(SignatureNote.descriptorByteCount)")
        }
        found.insert(descriptor)
        guard found.count <= Self.rangeLimit else { throw .malformedProgram("it has too many signature notes") }
    }

    private static func roundedUp(_ number: UInt64, to alignment: UInt64) -> UInt64 {
        (number + alignment - 1) / alignment * alignment
    }
}
