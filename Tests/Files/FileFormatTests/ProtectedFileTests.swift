import LatchkeyFileFormat
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite struct ProtectedFileTests {
    @Test("a new file is empty, has its class and wrapped key, and opens before it was synchronized")
    func create() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        #expect(try file.size == 0)
        #expect(try file.contents == [])
        let again = try ProtectedFile.opened(backing)
        #expect(try again.protectionClass == 4)
        #expect(try again.wrappedKey == Sample.weak)
        #expect(try again.identifier == file.identifier)
    }

    @Test(
        "what was written is read, at every alignment",
        arguments: [0, 1, 4095, 4096, 4097, 85 * 4096 - 1, 85 * 4096, 86 * 4096 + 5, 85 * 85 * 4096 + 1],
        [1, 2, 4095, 4096, 4097, 8192, 70 * 4096 + 3])
    func alignment(offset: Int, count: Int) throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing, limit: Sample.tight)
        let bytes = Sample.bytes(count)
        try file.write(bytes, at: UInt64(offset))
        #expect(try file.size == UInt64(offset + count))
        var isSame = try file.bytes(at: UInt64(offset), count: count) == bytes
        #expect(isSame)
        try file.synchronize(.data)
        file.close()
        let again = try ProtectedFile.opened(backing)
        isSame = try again.bytes(at: UInt64(offset), count: count + 10) == bytes
        #expect(isSame)
        let before = try again.bytes(at: UInt64(max(0, offset - 5000)), count: min(offset, 5000))
        #expect(before.allSatisfy { $0 == 0 })
        #expect(try again.check().isIntact)
    }

    @Test("reading at the end and beyond gives nothing") func end() throws {
        let file = try Sample.file(in: FaultyBacking())
        try file.write([1, 2, 3], at: 0)
        #expect(try file.bytes(at: 3, count: 5) == [])
        #expect(try file.bytes(at: .max, count: 5) == [])
        #expect(try file.bytes(at: 2, count: 5) == [3])
    }

    @Test("holes take no space") func holes() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.truncate(to: 1 << 40)
        try file.write([9], at: 1 << 39)
        try file.synchronize(.data)
        #expect(backing.cached.count < 20 * 4096)
        #expect(try file.size == 1 << 40)
        #expect(try file.bytes(at: (1 << 39) - 2, count: 4) == [0, 0, 9, 0])
        #expect(try ProtectedFile.opened(backing).check().isIntact)
    }

    @Test("a file of one byte takes three blocks, and no write but of header, block and header")
    func smallFile() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write([1], at: 0)
        try file.flush()
        file.close()
        #expect(backing.cached.count == 3 * 4096)
        #expect(backing.writes == 3)
        #expect(backing.synchronizations == 0)
        #expect(try ProtectedFile.opened(backing).contents == [1])
    }

    @Test("lengths beyond the limit are refused, and so are offsets that overflow") func tooLarge() throws {
        let file = try Sample.file(in: FaultyBacking())
        #expect(throws: FileFailure.tooLarge) { try file.truncate(to: FileHeader.maximumLength + 1) }
        #expect(throws: FileFailure.tooLarge) { try file.write([1], at: FileHeader.maximumLength) }
        #expect(throws: FileFailure.tooLarge) { try file.write([1], at: .max) }
        try file.write([1], at: FileHeader.maximumLength - 1)
        #expect(try file.bytes(at: FileHeader.maximumLength - 2, count: 9) == [0, 1])
        try file.synchronize(.full)
        try file.truncate(to: 0)
        #expect(try file.size == 0)
    }

    @Test("a closed file answers nothing, and closing twice is allowed") func closed() throws {
        let file = try Sample.file(in: FaultyBacking())
        file.close()
        file.close()
        #expect(throws: FileFailure.closed) { try file.size }
        #expect(throws: FileFailure.closed) { try file.contents }
        #expect(throws: FileFailure.closed) { try file.write([1], at: 0) }
        #expect(throws: FileFailure.closed) { try file.truncate(to: 0) }
        #expect(throws: FileFailure.closed) { try file.synchronize(.data) }
        #expect(throws: FileFailure.closed) { try file.flush() }
        #expect(throws: FileFailure.closed) { try file.check() }
        #expect(throws: FileFailure.closed) { try file.changeProtection(to: 1, wrappedKey: []) }
        #expect(throws: FileFailure.closed) { try file.setTie(nil) }
        #expect(throws: FileFailure.closed) { try file.protectionClass }
    }

    @Test("closing without synchronizing drops the changes") func dropped() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write([1, 2, 3], at: 0)
        try file.synchronize(.data)
        try file.write(Sample.bytes(9000), at: 1)
        file.close()
        #expect(try ProtectedFile.opened(backing).contents == [1, 2, 3])
    }

    @Test("metadata is made durable after content was, and neither twice") func scopes() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write([1], at: 0)
        try file.synchronize(.data)
        let count = backing.synchronizations
        try file.synchronize(.full)
        #expect(backing.synchronizations == count + 1)
        #expect(backing.latestScope == .full)
        try file.synchronize(.data)
        try file.synchronize(.full)
        #expect(backing.synchronizations == count + 1)
    }

    @Test("a file opened for reading changes nothing") func readOnly() throws {
        let backing = FaultyBacking()
        try Sample.file(in: backing).write([1], at: 0)
        backing.isReadOnly = true
        let file = try ProtectedFile.opened(backing, access: .readOnly)
        #expect(throws: FileFailure.readOnly) { try file.write([1], at: 0) }
        #expect(throws: FileFailure.readOnly) { try file.truncate(to: 0) }
        #expect(throws: FileFailure.readOnly) { try file.changeProtection(to: 1, wrappedKey: []) }
        #expect(throws: FileFailure.readOnly) {
            try file.setTie(FileTie(.log, of: [UInt8](repeating: 1, count: 16)))
        }
        try file.synchronize(.full)
        try file.flush()
        #expect(try file.check().isIntact)
    }

    @Test("a new file is made only where nothing is") func notEmpty() throws {
        let backing = FaultyBacking([1])
        #expect(throws: FileFailure.notEmpty) { try Sample.file(in: backing) }
        #expect(backing.cached == [1])
    }

    @Test("class, wrapped key and length are readable without the key") func envelope() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write([1, 2, 3], at: 0)
        try file.synchronize(.data)
        let envelope = try #require(try FileEnvelope.read(from: backing).first)
        #expect(envelope.protectionClass == 4)
        #expect(envelope.wrappedKey == Sample.weak)
        #expect(envelope.length == 3)
        #expect(try envelope.identifier == file.identifier)
    }

    @Test("another key opens nothing") func wrongKey() throws {
        let backing = FaultyBacking()
        try Sample.file(in: backing).synchronize(.data)
        #expect(throws: FileFailure.notAuthentic) { try ProtectedFile.open(backing, fileKey: Sample.otherKey) }
    }

    @Test("a change of class stores the new key only, in both header copies") func changeProtection() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write(Sample.bytes(10_000), at: 0)
        try file.synchronize(.data)
        let length = backing.cached.count
        try file.changeProtection(to: 1, wrappedKey: Sample.strict)
        #expect(!backing.contains(Sample.weak))
        #expect(backing.cached.count == length)
        #expect(try file.protectionClass == 1)
        let again = try ProtectedFile.opened(backing)
        #expect(try again.wrappedKey == Sample.strict)
        #expect(try again.contents == Sample.bytes(10_000))
        let check = try again.check()
        #expect(check.isIntact && check.headerCopies == 2)
    }

    @Test("a wrapped key of more than 1024 bytes is refused") func longKey() throws {
        let file = try Sample.file(in: FaultyBacking())
        let long = [UInt8](repeating: 1, count: 1025)
        #expect(throws: FileFailure.wrappedKeyTooLong(1025)) { try file.changeProtection(to: 1, wrappedKey: long) }
        try file.changeProtection(to: 1, wrappedKey: Array(long.dropLast()))
        #expect(try file.wrappedKey.count == 1024)
    }

    @Test("no plaintext is in the backing") func sealed() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        let text = Array("a text that must not be seen on any disk".utf8)
        try file.write(text, at: 100)
        try file.write(Array(repeating: text, count: 1000).flatMap { $0 }, at: 4096)
        try file.synchronize(.data)
        #expect(!backing.contains(text))
        #expect(!backing.contains(Array(text.prefix(16))))
    }

    @Test("overwriting again and again takes the space of two states") func reuse() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        for round in 0..<50 {
            try file.write(Sample.bytes(100 * 4096, seed: UInt64(round)), at: 0)
            try file.synchronize(.data)
        }
        #expect(backing.cached.count < 2 * 110 * 4096)
        try file.truncate(to: 0)
        try file.synchronize(.data)
        try file.synchronize(.data)
        #expect(backing.cached.count <= 36 * 4096)
    }

    @Test("flushing again and again takes bounded space") func flushing() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        for round in 0..<1000 {
            try file.write(Sample.bytes(4096, seed: UInt64(round)), at: 0)
            try file.flush()
        }
        #expect(backing.cached.count < 600 * 4096)
    }
}
