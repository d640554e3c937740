import Testing

@testable import LatchkeyLocalTransport

@Suite("Buffers for messages carry nothing from one connection to the next")
struct MessageBuffersTests {
    @Test("a buffer that is given back is wiped before anybody gets it again")
    func wiped() throws {
        let buffers = MessageBuffers()
        let first = buffers.take()
        let address = first.baseAddress
        for index in first.indices { first[index] = 0xA5 }
        buffers.giveBack(first)
        let second = buffers.take()
        defer { buffers.giveBack(second) }
        #expect(second.baseAddress == address, "the buffer was to be used again")
        #expect(!second.contains { $0 != 0 })
    }

    @Test("buffers beyond those that are kept go back to the system, and new ones are empty")
    func many() {
        let buffers = MessageBuffers()
        let taken = (0..<20).map { _ in buffers.take() }
        #expect(Set(taken.map(\.baseAddress)).count == 20)
        for buffer in taken {
            buffer[0] = 1
            buffers.giveBack(buffer)
        }
        for _ in 0..<20 {
            let buffer = buffers.take()
            #expect(buffer[0] == 0)
            buffers.giveBack(buffer)
        }
    }
}
