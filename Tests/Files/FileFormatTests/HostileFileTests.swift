import Foundation
import LatchkeyCryptoSuite
import LatchkeyFileFormat
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite struct HostileFileTests {
    /// A file of 100 blocks that was synchronized twice.
    private static func sample() throws -> FaultyBacking {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write(Sample.bytes(100 * Sample.block), at: 0)
        try file.synchronize(.data)
        try file.write([1], at: 0)
        try file.synchronize(.data)
        file.close()
        return backing
    }

    /// Sets numbers of a header copy, and makes it authentic again.
    private static func forge(_ backing: FaultyBacking, copy: Int, _ change: (inout [UInt8]) -> Void) {
        backing.damage { bytes in
            let start = copy * Sample.block
            var record = Array(bytes[start..<start + 2000])
            change(&record)
            record += sha256(record).prefix(16)
            let key = HMACSHA256.secret(over: Array("latchkey protected file 1: header".utf8), key: Sample.key)
            record += HMACSHA256.code(over: record, key: key)
            bytes.replaceSubrange(start..<start + 2048, with: record)
        }
    }

    @Test("any changed byte is detected or makes no difference", arguments: [1, 2, 3, 4] as [UInt64])
    func flippedBytes(seed: UInt64) throws {
        let expected = try ProtectedFile.opened(Self.sample()).contents
        let original = try Self.sample().cached
        var random = SplitMix(seed: seed)
        for _ in 0..<150 {
            let backing = FaultyBacking(original)
            let near = random.next() % 3 == 0 ? 8192 : original.count
            let place = Int(random.next() % UInt64(near))
            backing.damage { $0[place] ^= UInt8(1 << (random.next() % 8)) }
            guard let file = try? ProtectedFile.opened(backing, access: .readOnly), let content = try? file.contents
            else { continue }
            // One broken header copy leaves the other one, which is of the synchronization before.
            let isDetected = place < 8192 || content == expected
            #expect(isDetected, "seed \(seed), byte \(place)")
        }
    }

    @Test("blocks that were swapped, or taken from another state or another file, are detected") func swapped() throws {
        let backing = try Self.sample()
        let other = try Self.sample()
        let block = Sample.block
        backing.damage { bytes in
            let saved = Array(bytes[10 * block..<11 * block])
            bytes.replaceSubrange(10 * block..<11 * block, with: bytes[11 * block..<12 * block])
            bytes.replaceSubrange(11 * block..<12 * block, with: saved)
            bytes.replaceSubrange(20 * block..<21 * block, with: other.cached[21 * block..<22 * block])
        }
        #expect(try ProtectedFile.opened(backing).check().damaged.map(\.count).reduce(0, +) == 3 * block)
    }

    @Test("a shortened file is detected", arguments: [3, 50, 101])
    func cut(blocks: Int) throws {
        let backing = try Self.sample()
        backing.damage { $0.removeLast($0.count - blocks * Sample.block - 100) }
        let file = try ProtectedFile.opened(backing)
        #expect(throws: FileFailure.self) { try file.contents }
        #expect(!(try file.check().isIntact))
    }

    @Test("other files are not protected files", arguments: [0, 1, 4096, 8191, 8192, 100_000])
    func foreign(count: Int) throws {
        for bytes in [Sample.bytes(count), [UInt8](repeating: 0, count: count)] {
            #expect(throws: FileFailure.notProtectedFile) { try ProtectedFile.opened(FaultyBacking(bytes)) }
            #expect(throws: FileFailure.notProtectedFile) { try FileEnvelope.read(from: FaultyBacking(bytes)) }
        }
    }

    @Test("version 0 is damage, and a later version says so") func versions() throws {
        let backing = try Self.sample()
        for copy in 0..<2 { Self.forge(backing, copy: copy) { $0[7] = 0 } }
        #expect(throws: FileFailure.notProtectedFile) { try ProtectedFile.opened(backing) }
        Self.forge(backing, copy: 1) { $0[7] = 2 }
        #expect(throws: FileFailure.newerVersion(2)) { try ProtectedFile.opened(backing) }
        #expect(throws: FileFailure.newerVersion(2)) { try FileEnvelope.read(from: backing) }
    }

    @Test("header copies of two files are refused") func mixedCopies() throws {
        let backing = try Self.sample()
        Self.forge(backing, copy: 0) { $0[16] ^= 1 }
        #expect(throws: FileFailure.headersDisagree) { try ProtectedFile.opened(backing) }
    }

    @Test("header copies of one generation and different content are refused") func sameGeneration() throws {
        let backing = try Self.sample()
        for copy in 0..<2 {
            Self.forge(backing, copy: copy) { $0.replaceSubrange(8..<16, with: [0, 0, 0, 0, 0, 0, 0, 9]) }
        }
        #expect(throws: FileFailure.headersDisagree) { try ProtectedFile.opened(backing) }
    }

    @Test(
        "hostile numbers in an authentic header are refused or reported, at once",
        arguments: [
            (8, 8), (32, 8), (40, 8), (48, 8), (72, 8), (96, 1), (98, 1), (99, 1), (100, 2), (102, 16),
        ])
    func hostileNumbers(offset: Int, count: Int) throws {
        for value in [0, 1, 2, 3, 6, 7, 0x7F, 0xFF] as [UInt8] {
            for high in [0, 0x7F, 0xFF] as [UInt8] {
                let backing = try Self.sample()
                let latest = try #require(Layout.latestCopy(in: backing))
                Self.forge(backing, copy: latest) { record in
                    record[offset] = high
                    record[offset + count - 1] = value
                }
                guard let file = try? ProtectedFile.opened(backing) else { continue }
                _ = try? file.check()
                _ = try? file.bytes(at: 0, count: 10_000)
                _ = try? file.write(Sample.bytes(5000), at: 100)
                _ = try? file.truncate(to: 1 << 45)
                _ = try? file.truncate(to: 3)
                _ = try? file.synchronize(.data)
            }
        }
    }
}
