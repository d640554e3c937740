import LatchkeyFileFormat
import Testing

@Suite struct UnwrittenFileTests {
    @Test("a file that was prepared is, byte by byte, the one that is made at once") func same() throws {
        let backings = [FaultyBacking(), FaultyBacking()]
        let unwritten = try UnwrittenFile(
            fileKey: Sample.key, protectionClass: 4, wrappedKey: Sample.weak, entropy: SeededEntropy(seed: 1))
        let files = [
            try Sample.file(in: backings[0]), try ProtectedFile.create(unwritten, in: backings[1]),
        ]
        for file in files {
            try file.write(Sample.bytes(10_000), at: 5)
            try file.synchronize(.full)
            file.close()
        }
        #expect(backings[0].cached == backings[1].cached)
        #expect(try ProtectedFile.opened(backings[1]).bytes(at: 5, count: 10_000) == Sample.bytes(10_000))
    }

    @Test("two files are never made of one") func twiceInOwnProcess() async {
        await #expect(processExitsWith: .failure) {
            let unwritten = try UnwrittenFile(fileKey: Sample.key, protectionClass: 4, wrappedKey: Sample.weak)
            for _ in 0..<2 { _ = try ProtectedFile.create(unwritten, in: FaultyBacking()) }
        }
    }
}
