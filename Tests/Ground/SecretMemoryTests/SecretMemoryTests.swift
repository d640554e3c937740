import LatchkeySecretMemory
import Synchronization
import Testing

@Suite struct SecretMemoryTests {
    private static let lengths = [0, 1, 63, 64, 65, 256, 257, 1024, 4095, 4096, 4097, 65_536, 300_000]

    @Test("a secret holds what was written into it", arguments: lengths)
    func contents(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        let box = SecretBox(copying: bytes)
        #expect(box.count == count)
        #expect(box.withBytes { Array($0) } == bytes)
        bytes.withUnsafeBytes { #expect(SecretBox(copying: $0).equals(box)) }
    }

    @Test("what the writer leaves out is zero, also in memory that held a secret before", arguments: lengths)
    func zeroed(count: Int) {
        for _ in 0..<(count > 10_000 ? 2 : 50) {
            _ = SecretBox(count: count) { $0.initializeMemory(as: UInt8.self, repeating: 0xA5) }
            let fresh = SecretBox(count: count) { _ in }
            #expect(fresh.withBytes { $0.allSatisfy { $0 == 0 } })
        }
    }

    @Test("secrets differ in any byte or in length", arguments: [1, 32, 65])
    func equality(count: Int) {
        let bytes = [UInt8](repeating: 3, count: count)
        let box = SecretBox(copying: bytes)
        #expect(box.equals(SecretBox(copying: bytes)))
        #expect(!box.equals(SecretBox(copying: bytes + [3])))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(!box.equals(SecretBox(copying: other)))
        }
    }

    @Test("living secrets never share memory") func disjoint() {
        let boxes = (0..<3000).map { index in
            SecretBox(count: [5, 64, 200, 1000, 3000][index % 5]) { bytes in
                for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: index &+ place) }
            }
        }
        for (index, box) in boxes.enumerated() {
            let isWhole = box.withBytes { bytes in
                bytes.indices.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: index &+ $0) }
            }
            #expect(isWhole)
        }
    }

    @Test("a slot is wiped when its secret ends") func wipedSlot() throws {
        // The slot's memory stays mapped, so it can be looked at after the secret has gone. Another test may take the
        // slot in between; what it then holds is not this pattern.
        let pattern = (0..<32).map { UInt8(0xC0 ^ $0) }
        var address: UInt = 0
        do {
            let box = SecretBox(copying: pattern)
            address = box.withBytes { UInt(bitPattern: $0.baseAddress) }
        }
        let pointer = try #require(UnsafeRawPointer(bitPattern: address))
        #expect(Array(UnsafeRawBufferPointer(start: pointer, count: 32)) != pattern)
    }

    @Test("wiping overwrites every byte and accepts an empty buffer") func wiping() {
        var bytes = [UInt8](repeating: 9, count: 100)
        bytes.withUnsafeMutableBytes { wipe($0) }
        #expect(bytes == [UInt8](repeating: 0, count: 100))
        wipe(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    @Test("a writer that fails leaves no secret behind") func failing() {
        struct Failure: Error {}
        #expect(throws: Failure.self) { _ = try SecretBox(count: 32) { _ throws(Failure) in throw Failure() } }
    }

    @Test("secrets are taken and given back from many threads at once") func concurrent() async {
        await withTaskGroup(of: Bool.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    (0..<100).allSatisfy { round in
                        let byte = UInt8(truncatingIfNeeded: seed &* 31 &+ round)
                        let box = SecretBox(count: 1 + (round * 37) % 5000) {
                            $0.initializeMemory(as: UInt8.self, repeating: byte)
                        }
                        return box.withBytes { $0.allSatisfy { $0 == byte } }
                    }
                }
            }
            for await isWhole in group { #expect(isWhole) }
        }
    }
}
