/// The instructions of an ELF file for the dynamic loader: where to look for libraries, and what to open by path.
struct ELFDynamic {
    private(set) var runPaths: [String] = []
    private(set) var loadPaths: [String] = []

    private enum Segment {
        static let load: UInt32 = 1
        static let dynamic: UInt32 = 2
        static let interpreter: UInt32 = 3
    }

    private enum Tag {
        static let end: UInt64 = 0
        static let needed: UInt64 = 1
        static let strings: UInt64 = 5
        static let stringsByteCount: UInt64 = 10
        static let path: UInt64 = 15
        static let runPath: UInt64 = 29
        /// DT_DEPAUDIT, DT_AUDIT, DT_AUXILIARY, DT_FILTER. The first two fit into 32 bits as the others do.
        static let libraries: Set<UInt64> = [needed, 0x6FFF_FEFB, 0x6FFF_FEFC, 0x7FFF_FFFD, 0x7FFF_FFFF]
    }

    private static let entryLimit: UInt64 = 4096
    private static let textLimit: UInt64 = 4096

    private let file: ProgramFile
    private let headers: ELFHeaders

    init(file: ProgramFile, headers: ELFHeaders) throws(SignatureFailure) {
        self.file = file
        self.headers = headers
        for segment in headers.segments where segment.type == Segment.interpreter {
            guard let area = file.range(from: segment.offset, count: segment.byteCount) else {
                throw .malformedProgram("the name of its loader is not in the file")
            }
            loadPaths.append(try text(in: area))
        }
        let dynamic = headers.segments.filter { $0.type == Segment.dynamic && $0.byteCount > 0 }
        guard dynamic.count <= 1 else { throw .malformedProgram("it has two dynamic sections") }
        for segment in dynamic { try read(segment) }
    }

    private mutating func read(_ segment: ELFHeaders.Segment) throws(SignatureFailure) {
        let entries = try entries(of: segment)
        let texts = entries.filter { $0.tag == Tag.path || $0.tag == Tag.runPath || Tag.libraries.contains($0.tag) }
        guard !texts.isEmpty else { return }
        guard let address = entries.last(where: { $0.tag == Tag.strings })?.value,
            let byteCount = entries.last(where: { $0.tag == Tag.stringsByteCount })?.value,
            let strings = mapped(address, count: byteCount)
        else { throw .malformedProgram("the names of its libraries are not in the file") }
        for entry in texts {
            guard entry.value < UInt64(strings.count) else {
                throw .malformedProgram("the name of a library is not in the file")
            }
            let text = try text(in: strings.lowerBound + entry.value..<strings.upperBound)
            if Tag.libraries.contains(entry.tag) {
                // Without a slash it is a name to be searched for.
                if text.utf8.contains(UInt8(ascii: "/")) { loadPaths.append(text) }
            } else if !text.isEmpty {
                // An empty entry is the working directory.
                runPaths += text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            }
        }
    }

    private func entries(of segment: ELFHeaders.Segment) throws(SignatureFailure) -> [(tag: UInt64, value: UInt64)] {
        let wordByteCount: UInt64 = headers.is64Bit ? 8 : 4
        let entryByteCount = 2 * wordByteCount
        // The loader reads the memory, so the address counts and not the offset.
        guard let area = mapped(segment.address, count: segment.byteCount) else {
            throw .malformedProgram("its dynamic section is not in the file")
        }
        let count = min(UInt64(area.count) / entryByteCount, Self.entryLimit)
        let table = LittleEndianBytes(
            try file.bytes(area.lowerBound..<area.lowerBound + count * entryByteCount), has64BitWords: headers.is64Bit)
        var entries: [(tag: UInt64, value: UInt64)] = []
        for index in 0..<Int(count) {
            let place = index * Int(entryByteCount)
            let tag = table.word(place)
            if tag == Tag.end { return entries }
            entries.append((tag, table.word(place + Int(wordByteCount))))
        }
        throw .malformedProgram("its dynamic section has no end")
    }

    /// Returns the range of the file that is mapped at an address; of two segments the later is mapped over the
    /// earlier.
    private func mapped(_ address: UInt64, count: UInt64) -> Range<UInt64>? {
        for segment in headers.segments.reversed() where segment.type == Segment.load {
            guard address >= segment.address, address - segment.address < segment.byteCount else { continue }
            let inside = address - segment.address
            guard count <= segment.byteCount - inside else { return nil }
            let (offset, isTooLarge) = segment.offset.addingReportingOverflow(inside)
            return isTooLarge ? nil : file.range(from: offset, count: count)
        }
        return nil
    }

    private func text(in area: Range<UInt64>) throws(SignatureFailure) -> String {
        let bytes = try file.bytes(area.lowerBound..<min(area.upperBound, area.lowerBound + Self.textLimit))
        guard let end = bytes.firstIndex(of: 0) else { throw .malformedProgram("the name of a library has no end") }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
