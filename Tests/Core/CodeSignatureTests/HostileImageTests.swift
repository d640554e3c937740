import Glibc
import LatchkeyCodeSignature
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// Files made to lead a parser astray. Each is refused, none takes long or much memory.
@Suite("A hostile ELF file")
struct HostileImageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The reason of the refusal: another reason would mean that this one is not looked at.
        let reason: String
        let make: @Sendable (inout TestELF) -> Void

        init(_ name: String, _ reason: String, _ make: @escaping @Sendable (inout TestELF) -> Void) {
            testDescription = name
            self.reason = reason
            self.make = make
        }
    }

    private static let largest = UInt64.max

    static let headers: [Case] = [
        Case("class 3", "it is for no known machine") { $0.header = [(4, 1, 3)] },
        Case("program headers behind the file", "its program headers are not in the file") {
            $0.header = [(32, 8, 1 << 40), (56, 2, 1)]
        },
        Case("program headers at the end of all numbers", "its program headers are not in the file") {
            $0.header = [(32, 8, largest - 8), (56, 2, 1)]
        },
        Case("program headers of 57 bytes", "its program headers have an unknown size") {
            $0.header = [(54, 2, 57), (56, 2, 1)]
        },
        Case("program headers of no bytes", "its program headers have an unknown size") {
            $0.header = [(54, 2, 0), (56, 2, 1)]
        },
        Case("65,535 program headers", "it has too many program headers") { $0.header = [(56, 2, 0xFFFF)] },
        Case("one program header too many for the file", "its program headers are not in the file") {
            $0.header = [(32, 8, UInt64($0.bytes.count) - 56), (56, 2, 2)]
        },
        Case("section headers behind the file", "its section headers are not in the file") {
            $0.header = [(40, 8, 1 << 40), (60, 2, 1)]
        },
        Case("section headers at the end of all numbers", "its section headers are not in the file") {
            $0.header = [(40, 8, largest), (60, 2, 0xFFFF)]
        },
        Case("section headers of 63 bytes", "its section headers have an unknown size") {
            $0.header = [(40, 8, 64), (58, 2, 63), (60, 2, 1)]
        },
        Case("no number of sections, and one in the first section that is too large", "it has too many sections") {
            $0.sections = [.init(type: 0, offset: 0, byteCount: largest)]
            $0.header = [(60, 2, 0)]
        },
        Case(
            "no number of sections, and one in the first section that is more than the file has",
            "its section headers are not in the file"
        ) {
            $0.sections = [.init(type: 0, offset: 0, byteCount: 60_000)]
            $0.header = [(60, 2, 0)]
        },
    ]

    static let notes: [Case] = [
        Case("notes behind the file", "its notes are not in the file") {
            $0.segments = [.init(type: 4, offset: 1 << 40, address: 0, byteCount: 16)]
        },
        Case("notes that end behind the file", "its notes are not in the file") {
            $0.segments = [.init(type: 4, offset: 0, address: 0, byteCount: UInt64($0.bytes.count) + 57)]
        },
        Case("notes without end", "its notes are not in the file") {
            $0.segments = [.init(type: 4, offset: 64, address: 0, byteCount: largest)]
        },
        Case("notes at the end of all numbers", "its notes are not in the file") {
            $0.segments = [.init(type: 4, offset: largest, address: 0, byteCount: 2)]
        },
        Case("a section of notes that ends behind the file", "its notes are not in the file") {
            $0.sections = [.init(type: 7, offset: 64, byteCount: 1 << 33)]
        },
        Case("a name longer than the notes", "one of its notes is cut off") {
            $0.append(notes: TestELF.number(0xFFFF_FFFF, 4) + TestELF.number(0, 8) + [0, 0, 0, 0])
        },
        Case("a descriptor longer than the notes", "one of its notes is cut off") {
            $0.append(
                notes: TestELF.number(4, 4) + TestELF.number(0xFFFF_FFFF, 4) + TestELF.number(1, 4) + [0, 0, 0, 0])
        },
        Case("a signature note cut off in its descriptor", "one of its notes is cut off") {
            $0.append(notes: TestELF.signatureNote().dropLast(1))
        },
        Case("a signature note of another size", "its signature note has another size than 16384") {
            $0.append(notes: TestELF.note([UInt8](repeating: 0, count: 64)))
        },
        Case("a signature note without a descriptor", "its signature note has another size than 16384") {
            $0.append(notes: TestELF.note([]))
        },
        Case("20,000 notes", "it has too many notes") {
            $0.append(notes: [UInt8](repeating: 0, count: 12 * 20_000))
        },
        Case("the same 2,000 notes in twelve segments", "it has too many notes") {
            let notes = [UInt8](repeating: 0, count: 12 * 2_000)
            let offset = $0.append(notes)
            $0.segments = (0..<12).map { _ in
                .init(type: 4, offset: offset, address: 0, byteCount: UInt64(notes.count))
            }
        },
        Case("17 signature notes", "it has too many signature notes") {
            $0.append(notes: (0..<17).flatMap { _ in TestELF.signatureNote() })
        },
        Case("a signature note across the section headers", "a signature note overlaps another part") {
            let offset = $0.append(notes: TestELF.signatureNote())
            $0.header = [(40, 8, offset + 100), (60, 2, 1)]
        },
        Case("a signature note across the program headers", "a signature note overlaps another part") { elf in
            // The note stands behind the one program header; the table is then said to be longer than it is.
            elf.append(notes: TestELF.signatureNote())
            elf.header = [(56, 2, 200)]
        },
        Case("two signature notes that overlap", "a signature note overlaps another part") { elf in
            let inner = Array(TestELF.signatureNote().prefix(24))
            var outer = TestELF.signatureNote()
            outer.replaceSubrange(1000..<1024, with: inner)
            let offset = elf.append(notes: outer + [UInt8](repeating: 0, count: 2000))
            elf.segments[0].byteCount = UInt64(outer.count)
            elf.sections = [.init(type: 7, offset: offset + 1000, byteCount: UInt64(outer.count))]
        },
        Case(
            "a signature note whose header lies in the descriptor of another",
            "a signature note overlaps another part"
        ) { elf in
            var first = TestELF.signatureNote()
            let second = TestELF.signatureNote()
            first.replaceSubrange((first.count - 24)..., with: second.prefix(24))
            let offset = elf.append(notes: first)
            _ = elf.append([UInt8](repeating: 0, count: second.count))
            elf.sections = [
                .init(type: 7, offset: offset + UInt64(first.count) - 24, byteCount: UInt64(second.count))
            ]
        },
    ]

    static let dynamic: [Case] = [
        Case("two dynamic sections", "it has two dynamic sections") {
            $0.append(dynamic: [(0, 0)], strings: [0])
            $0.segments.append($0.segments[$0.segments.count - 1])
        },
        Case("a dynamic section without an end", "its dynamic section has no end") {
            $0.append(dynamic: [(1, 0)], strings: [0])
        },
        Case("100,000 dynamic entries", "its dynamic section has no end") {
            $0.append(dynamic: (0..<100_000).map { _ in (tag: 6, value: 0) }, strings: [0])
        },
        Case("a dynamic section that is not in memory", "its dynamic section is not in the file") {
            $0.append(dynamic: [(0, 0)], strings: [0])
            $0.segments[1].address = 1 << 40
        },
        Case("a dynamic section that ends behind its memory", "its dynamic section is not in the file") {
            $0.append(dynamic: [(0, 0)], strings: [0])
            $0.segments[1].byteCount += 16
        },
        Case("memory that is not in the file", "its dynamic section is not in the file") {
            $0.append(dynamic: [(0, 0)], strings: [0])
            $0.segments[0].offset = largest - 1000
        },
        Case("names that are not in memory", "the names of its libraries are not in the file") {
            $0.append(dynamic: [(5, 1 << 40), (1, 0), (0, 0)], strings: [0])
        },
        Case("names without end", "the names of its libraries are not in the file") {
            $0.append(dynamic: [(10, largest), (1, 0), (0, 0)], strings: [0])
        },
        Case("a name behind the names", "the name of a library is not in the file") {
            $0.append(dynamic: [(29, 2), (0, 0)], strings: [0, 0])
        },
        Case("a name whose end is missing", "the name of a library has no end") {
            $0.append(dynamic: [(29, 1), (0, 0)], strings: [0, 0x61])
        },
        Case("a path of 5,000 bytes", "the name of a library has no end") {
            $0.append(dynamic: [(29, 0), (0, 0)], strings: [UInt8](repeating: 0x61, count: 5_000) + [0])
        },
        Case("a loader that is not in the file", "the name of its loader is not in the file") {
            $0.segments = [.init(type: 3, offset: 1 << 40, address: 0, byteCount: 10)]
        },
        Case("a loader whose name has no end", "the name of a library has no end") {
            let offset = $0.append([0x2F, 0x61])
            $0.segments = [.init(type: 3, offset: offset, address: 0, byteCount: 2)]
        },
    ]

    @Test("is refused", arguments: headers + notes + dynamic)
    func refused(_ hostile: Case) {
        var elf = TestELF()
        _ = elf.append([UInt8](repeating: 0x55, count: 256))
        hostile.make(&elf)
        #expect(throws: SignatureFailure.malformedProgram(hostile.reason)) { try withImage(of: elf.bytes) { _ in } }
    }

    @Test("is refused wherever it is cut off")
    func cutOff() throws {
        for is64Bit in [true, false] {
            var elf = TestELF(is64Bit: is64Bit)
            elf.append(notes: TestELF.signatureNote(), withSection: true)
            let bytes = elf.bytes
            try withImage(of: bytes) { #expect($0.noteRanges.count == 1) }
            for count in Array(4..<200) + [1023, 1024, 1040, 5000, bytes.count - 41, bytes.count - 1] {
                expectRule(.programMalformed, "\(count) bytes") {
                    try withImage(of: Array(bytes.prefix(count))) { _ in }
                }
            }
        }
    }

    @Test("with many headers that say nothing is read to its end")
    func manyHeaders() throws {
        var elf = TestELF()
        elf.append(notes: TestELF.signatureNote())
        elf.sections = (0..<4_000).map { _ in .init(type: 7, offset: 0, byteCount: 11) }
        try withImage(of: elf.bytes) { #expect($0.noteRanges.count == 1) }
        // A number that does not fit into the header stands in the first section.
        elf.sections.append(contentsOf: (0..<1_000).map { _ in .init(type: 7, offset: 0, byteCount: 11) })
        elf.sections[0] = .init(type: 0, offset: 0, byteCount: UInt64(elf.sections.count))
        elf.header = [(60, 2, 0)]
        try withImage(of: elf.bytes) { #expect($0.noteRanges.count == 1) }
    }

    @Test("larger than 4 GiB is refused before it is read")
    func tooLarge() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.file("sparse", TestELF().bytes)
        try #require(truncate(path, (4 << 30) + 1) == 0)
        expectRule(.programMalformed) { try withImage(at: path) { _ in } }
    }
}
