import CLatchkeyShims
import Crypto
import Foundation
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyPostQuantumKeys

@Suite("A key leaves no seed behind") struct TraceTests {
    private static func isWiped<Key: ExpandedKey>(_ type: Key.Type, seedByteCount: Int) throws -> Bool {
        let seed = [UInt8](repeating: 0xC3, count: seedByteCount)
        let key = try seed.withUnsafeBufferPointer { try Key(seedBytes: $0) }
        guard Array(key.seedRepresentation) == seed else { return false }
        key.wipeSeed()
        return key.seedRepresentation.count == seedByteCount && key.seedRepresentation.allSatisfy { $0 == 0 }
    }

    // Fails with a library that gives out a copy of the seed instead of its own.
    @Test("the library's copy of a seed can be wiped where it lies") func seeds() throws {
        #expect(try Self.isWiped(MLKEM768Key.self, seedByteCount: 64))
        #expect(try Self.isWiped(MLKEM1024Key.self, seedByteCount: 64))
        #expect(try Self.isWiped(MLDSA65Key.self, seedByteCount: 32))
        #expect(try Self.isWiped(MLDSA87Key.self, seedByteCount: 32))
    }

    @Test("a key whose seed's copy was wiped signs and opens as before") func afterwards() throws {
        let key = try PostQuantumKey(generating: .mldsa65, entropy: SystemEntropy())
        let signature = try key.sign([1, 2, 3])
        #expect(try MLDSA65.PublicKey(rawRepresentation: key.publicKey).isValidSignature(signature, for: [1, 2, 3]))
    }

    /// Returns the number of places of `needle` in the memory that this process can write and does not share.
    private static func places(of needle: [UInt8]) throws -> Int {
        let memory = open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        defer { close(memory) }
        // Shared, so that the scan does not find what it read.
        let byteCount = 1 << 20
        let chunk = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        try #require(chunk != MAP_FAILED)
        defer { munmap(chunk, byteCount) }
        var found = 0
        for region in try regions() {
            for start in stride(from: region.lowerBound, to: region.upperBound, by: byteCount) {
                let count = pread(memory, chunk, min(byteCount, Int(region.upperBound - start)), off_t(start))
                guard let chunk, count > 0 else { continue }
                var position = 0
                while true {
                    let next = lk_find_bytes(chunk + position, count - position, needle, needle.count)
                    guard next >= 0 else { break }
                    found += 1
                    position += next + needle.count
                }
            }
        }
        return found
    }

    private static func regions() throws -> [Range<UInt64>] {
        // In pieces, because the file says it has no bytes.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        defer { try? file.close() }
        var text = Data()
        while let piece = try file.read(upToCount: 1 << 16), !piece.isEmpty { text.append(piece) }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 2, words[1] == "rw-p" else { return nil }
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            return ends.count == 2 ? ends[0]..<ends[1] : nil
        }
    }

    @Test("after its uses the seed is in one place: where it is kept", arguments: PostQuantumKeyKind.allCases)
    func memory(_ kind: PostQuantumKeyKind) throws {
        let key = try PostQuantumKey(generating: kind, entropy: SystemEntropy())
        for _ in 0..<3 {
            _ = try PostQuantumKey(kind, seed: key.seed)
            if let byteCount = kind.ciphertextByteCount {
                _ = try key.decapsulate([UInt8](repeating: 1, count: byteCount))
            } else {
                _ = try key.sign([1, 2, 3])
            }
        }
        // A part of it is looked for, and not the first, which freed memory loses. The second place is that of what is
        // looked for.
        let part = key.seed.slice(16..<32).testOnlyBytes
        #expect(try Self.places(of: part) == 2)
        withExtendedLifetime(key) {}
    }
}
