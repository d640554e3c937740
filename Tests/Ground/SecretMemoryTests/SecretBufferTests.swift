import LatchkeySecretMemory
import Testing

@Suite struct SecretBufferTests {
    @Test("a buffer is zero at first and keeps what its owner writes", arguments: [1, 64, 4096, 100_000])
    func writing(count: Int) {
        let buffer = SecretBuffer(count: count)
        #expect(buffer.bytes.count == count)
        #expect(buffer.bytes.allSatisfy { $0 == 0 })
        buffer.bytes[count - 1] = 7
        #expect(buffer.bytes[count - 1] == 7)
    }

    @Test("released memory comes back wiped") func wiped() {
        for _ in 0..<100 {
            let buffer = SecretBuffer(count: 4096)
            #expect(buffer.bytes.allSatisfy { $0 == 0 })
            for index in buffer.bytes.indices { buffer.bytes[index] = 0xFF }
        }
    }
}
