import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyItemModel
import Testing

@Suite("An executable's image")
struct ExecutableImageTests {
    private let signed = Signed()

    @Test(
        "has the digest of a plain file, whatever its size",
        arguments: [0, 1, 3, 4, 51, 1 << 20, (1 << 20) + 1, 3_000_000])
    func plainDigest(byteCount: Int) throws {
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        try withImage(of: bytes) { image in
            #expect(image.kind == .other)
            let found = try image.digest()
            #expect(found == sha256(bytes))
            let signature = try image.embeddedSignature()
            #expect(signature == nil)
        }
    }

    @Test("of a script is one")
    func script() throws {
        let bytes = Array("#!/bin/sh\nexit 0\n".utf8)
        try withImage(of: bytes) { image in
            #expect(image.kind == .script)
            #expect(image.noteRanges.isEmpty)
            let found = try image.digest()
            #expect(found == sha256(bytes))
        }
    }

    @Test("for a big-endian machine has no notes")
    func bigEndian() throws {
        var elf = TestELF()
        elf.append(notes: TestELF.signatureNote())
        elf.header = [(5, 1, 2)]
        try withImage(of: elf.bytes) { image in
            #expect(image.kind == .other)
            #expect(image.noteRanges.isEmpty)
        }
    }

    @Test("of a directory or a device is refused")
    func noFile() throws {
        for path in ["/", "/dev/null"] {
            expectRule(.programUnreadable) { try withImage(at: path) { _ in } }
        }
        expectRule(.programUnreadable) { _ = try ExecutableImage(descriptor: -1) }
    }

    @Test("finds a note that segment and section name, among others, once", arguments: [true, false], [4, 8])
    func findsNote(is64Bit: Bool, alignment: Int) throws {
        var elf = TestELF(is64Bit: is64Bit)
        let before = TestELF.note(name: Array("GNU\0".utf8), type: 1, [UInt8](repeating: 5, count: 16))
        let notes =
            before + TestELF.note(name: SignatureNote.name, type: 1, [1, 2, 3, 4])
            + [UInt8](repeating: 0, count: alignment == 8 ? 4 : 0)
            + TestELF.signatureNote() + TestELF.note(name: Array("Last\0".utf8), type: SignatureNote.type, [])
        let offset = elf.append(notes: notes, alignment: UInt64(alignment), withSection: true)
        let start = offset + UInt64(before.count) + 28 + (alignment == 8 ? 4 : 0) + 24
        try withImage(of: elf.bytes) { image in
            #expect(image.kind == .elf)
            #expect(image.noteRanges == [start..<start + 16_384])
            let signature = try image.embeddedSignature()
            #expect(signature == nil)
        }
    }

    @Test("finds a note that only a section names")
    func onlySection() throws {
        var elf = TestELF()
        let notes = TestELF.signatureNote()
        let offset = elf.append(notes)
        elf.sections = [.init(type: TestELF.Section.note, offset: offset, byteCount: UInt64(notes.count))]
        try withImage(of: elf.bytes) { #expect($0.noteRanges == [offset + 24..<offset + 24 + 16_384]) }
    }

    @Test("has the same digest whatever its notes hold, and another for every other byte")
    func digest() throws {
        var empty = TestELF()
        empty.append(notes: TestELF.signatureNote())
        let digest = try withImage(of: empty.bytes) { try $0.digest() }
        #expect(digest == sha256(empty.bytes))
        let blob = try signed.signature(digest: digest).encoded()
        var full = TestELF()
        full.append(notes: TestELF.signatureNote(blob))
        #expect(full.bytes != empty.bytes)
        let bytes = full.bytes
        try withImage(of: bytes) { image in
            let found = try image.digest()
            #expect(found == digest)
            try #require(try image.embeddedSignature()).check(digest: digest)
        }
        // After any change in the file, no signature of it is accepted any more.
        let range = Int(TestELF.contentOffset) + 24..<Int(TestELF.contentOffset) + 24 + 4 + blob.count + 8
        for index in Array(bytes.indices.prefix(range.upperBound)) + [bytes.count - 1] {
            var damaged = bytes
            damaged[index] ^= 0x10
            let isAccepted =
                (try? withImage(of: damaged) { image in
                    guard let signature = try image.embeddedSignature() else { return false }
                    try signature.check(digest: try image.digest())
                    return true
                }) ?? false
            #expect(!isAccepted, "byte \(index)")
        }
    }

    @Test("with a note that crosses pieces of the digest leaves all of it out")
    func acrossPieces() throws {
        var elf = TestELF()
        let filler = (1 << 20) - Int(TestELF.contentOffset) - 8192
        _ = elf.append([UInt8](repeating: 7, count: filler))
        elf.append(notes: TestELF.signatureNote())
        _ = elf.append([UInt8](repeating: 9, count: 100))
        let plain = elf.bytes
        try withImage(of: plain) { image in
            let range = try #require(image.noteRanges.first)
            #expect(range.lowerBound < 1 << 20 && range.upperBound > 1 << 20)
            var full = plain
            for index in range { full[Int(index)] = 0xEE }
            let found = try withImage(of: full) { try $0.digest() }
            #expect(found == sha256(plain))
        }
    }

    @Test("with two signatures is refused, also if they are the same; one filled note of two counts")
    func twoNotes() throws {
        let blob = try signed.signature().encoded()
        let other = try signed.signature(digest: [UInt8](repeating: 2, count: 32)).encoded()
        for second in [blob, other] {
            var elf = TestELF()
            elf.append(notes: TestELF.signatureNote(blob) + TestELF.signatureNote(second))
            try withImage(of: elf.bytes) { image in
                #expect(image.noteRanges.count == 2)
                #expect(throws: SignatureFailure.twoSignatures) { _ = try image.embeddedSignature() }
            }
        }
        var elf = TestELF()
        elf.append(notes: TestELF.signatureNote())
        elf.append(notes: TestELF.signatureNote(blob))
        try withImage(of: elf.bytes) { image in
            let signature = try image.embeddedSignature()
            #expect(signature?.encoded() == blob)
        }
    }

    @Test("with a descriptor that holds anything but a signature and zeros is refused")
    func badDescriptors() throws {
        let blob = try signed.signature().encoded()
        let size = SignatureNote.descriptorByteCount
        let zeros = [UInt8](repeating: 0, count: size)
        let descriptors: [[UInt8]] = [
            // Length beyond the descriptor, nothing said and something there, something behind, a length too short.
            TestELF.number(16_381, 4) + zeros.dropFirst(4), TestELF.number(0xFFFF_FFFF, 4) + zeros.dropFirst(4),
            zeros.dropLast() + [1],
            TestELF.number(UInt64(blob.count), 4) + blob + zeros.dropFirst(5 + blob.count) + [1],
            TestELF.number(UInt64(blob.count - 1), 4) + blob + zeros.dropFirst(4 + blob.count),
            TestELF.number(UInt64(blob.count + 1), 4) + blob + zeros.dropFirst(4 + blob.count),
            TestELF.number(1, 4) + zeros.dropFirst(4),
        ]
        for descriptor in descriptors {
            #expect(descriptor.count == size)
            var elf = TestELF()
            elf.append(notes: TestELF.note(descriptor))
            try withImage(of: elf.bytes) { image in
                expectRule(.signatureMalformed) { _ = try image.embeddedSignature() }
            }
        }
    }

    @Test("lists what the loader would look at", arguments: [true, false])
    func dynamic(is64Bit: Bool) throws {
        var elf = TestELF(is64Bit: is64Bit)
        let strings = Array("\0/usr/lib/a:$ORIGIN/b::rel\0/opt/c\0libc.so.6\0./evil.so\0/audit.so\0".utf8)
        func place(_ text: String) -> UInt64 {
            UInt64(strings.indices.first { strings[$0...].starts(with: Array(text.utf8)) } ?? 0)
        }
        elf.append(
            dynamic: [
                (15, place("/usr")), (29, place("/opt")), (1, place("libc")), (1, place("./evil")),
                (0x6FFF_FEFC, place("/audit")), (29, 0), (0, 0), (29, place("rel")),
            ], strings: strings)
        let loader = Array("/lib/loader\0".utf8)
        let offset = elf.append(loader)
        elf.segments.append(
            .init(
                type: TestELF.Segment.interpreter, offset: offset, address: offset, byteCount: UInt64(loader.count)))
        try withImage(of: elf.bytes) { image in
            #expect(image.runPaths == ["/usr/lib/a", "$ORIGIN/b", "", "rel", "/opt/c"])
            #expect(image.loadPaths == ["/lib/loader", "./evil.so", "/audit.so"])
        }
    }
}
