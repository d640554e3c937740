import CLatchkeyShims
import Dispatch
import Glibc
import LatchkeySecretMemory
import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeyLocalTransport

@Suite("What one connection may take of a server")
struct ConnectionShareTests {
    /// A client that has been welcomed and sends whatever it likes, whenever it likes.
    private final class EagerClient {
        let descriptor: Descriptor
        let channel: FrameChannel
        private var nonce = Nonce.none

        init(_ path: String) throws {
            let number = lk_socket_connect(path)
            try #require(number >= 0)
            descriptor = Descriptor(owning: number)
            channel = FrameChannel(descriptor)
            nonce = try #require(try channel.receive()).header.nonce
            try channel.send(.hello, WireMessage(body: []), nonce: nonce)
            try #require(try channel.receive()?.header.kind == .welcome)
        }

        func send(_ count: Int) throws {
            for _ in 0..<count { try channel.send(.message, WireMessage(body: [1]), nonce: nonce) }
        }
    }

    @Test("an answer may have far more secrets than a message")
    func manySecrets() throws {
        let lengths = (0..<20_000).map { $0 % 70 }
        let server = try EchoServer { _ in
            WireMessage(body: [], secrets: lengths.map { SecretBox(copying: [UInt8](repeating: 7, count: $0)) })
        }
        defer { server.stop() }
        let answer = try ClientConnection(connectingTo: server.path).call(WireMessage(body: [1]))
        #expect(answer.secrets.map(\.count) == lengths)
        #expect(answer.secrets.allSatisfy { $0.array.allSatisfy { $0 == 7 } })
    }

    @Test("a client that sends on without receiving holds one large answer, and gets the others as it receives")
    func unreadAnswers() throws {
        let served = Mutex(0)
        let server = try EchoServer { _ in
            served.withLock { $0 += 1 }
            return WireMessage(body: [UInt8](repeating: 1, count: 1 << 20))
        }
        defer { server.stop() }
        let client = try EagerClient(server.path)
        try client.send(6)
        eventually { served.withLock { $0 } > 0 }
        for count in 1...6 {
            #expect(served.withLock { $0 } <= count)
            #expect(try client.channel.receive()?.message.body.count == 1 << 20)
        }
        #expect(served.withLock { $0 } == 6)
    }

    @Test("what a client sent before it went away is not worked on")
    func goneClient() throws {
        let served = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let server = try EchoServer { message in
            served.withLock { $0 += 1 }
            gate.wait()
            return message
        }
        defer { server.stop() }
        let client = try EagerClient(server.path)
        try client.send(6)
        eventually { served.withLock { $0 } > 0 }
        client.descriptor.shutdown()
        for _ in 0..<6 { gate.signal() }
        eventually { server.server.connectionCount == 0 }
        #expect(served.withLock { $0 } == 1)
    }
}
