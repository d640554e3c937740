import Glibc
import LatchkeyLocalTransport
import LatchkeySecretMemory
import Testing

@Suite("Messages come through a socket unchanged")
struct RoundTripTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let body: Int
        let secrets: [Int]

        var testDescription: String { "body of \(body), secrets of \(secrets.prefix(4))" }
    }

    static let shapes = [
        Shape(body: 0, secrets: []), Shape(body: 1, secrets: [0]), Shape(body: 300, secrets: [32, 0, 7]),
        // The largest packet, and the first that needs a memory file.
        Shape(body: TransportLimits.packetByteCount - 40, secrets: []),
        Shape(body: TransportLimits.packetByteCount - 39, secrets: []),
        Shape(body: 10, secrets: [200_000, 1]),
        Shape(body: 1 << 20, secrets: Array(repeating: 900, count: TransportLimits.secretCount)),
        Shape(body: TransportLimits.bodyByteCount, secrets: [TransportLimits.secretsByteCount]),
    ]

    @Test("body and secrets of every size return as they went", arguments: shapes)
    func returns(shape: Shape) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let body = (0..<shape.body).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let secrets = shape.secrets.enumerated().map { index, count in
            SecretBox(copying: [UInt8](repeating: UInt8(truncatingIfNeeded: index &+ 1), count: count))
        }
        let connection = try ClientConnection(connectingTo: server.path)
        for _ in 0..<2 {
            let answer = try connection.call(WireMessage(body: body, secrets: secrets))
            #expect(answer.body == body.reversed())
            #expect(answer.secrets.count == secrets.count)
            #expect(zip(answer.secrets, secrets).allSatisfy { $0.equals($1) })
        }
    }

    @Test(
        "a message above a limit is refused before anything is sent, and the connection stays usable",
        arguments: [
            (TransportLimits.bodyByteCount + 1, []), (0, [TransportLimits.secretsByteCount, 1]),
            (0, Array(repeating: 0, count: TransportLimits.secretCount + 1)),
        ])
    func limits(body: Int, secrets: [Int]) throws {
        let server = try EchoServer()
        defer { server.stop() }
        let connection = try ClientConnection(connectingTo: server.path)
        let empty = SecretBox(copying: [UInt8]())
        let boxes = secrets.map { $0 == 0 ? empty : SecretBox(count: $0) { _ in } }
        #expect {
            try connection.call(WireMessage(body: [UInt8](repeating: 0, count: body), secrets: boxes))
        } throws: { error in
            if case TransportFailure.tooLarge = error { true } else { false }
        }
        #expect(try connection.call(WireMessage(body: [1, 2])).body == [2, 1])
    }

    @Test("threads that share a connection each get their own answer")
    func sharedConnection() async throws {
        let server = try EchoServer()
        defer { server.stop() }
        let connection = try ClientConnection(connectingTo: server.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(0)..<8 {
                group.addTask {
                    for round in UInt8(0)..<50 {
                        let answer = try connection.call(WireMessage(body: [number, round]))
                        #expect(answer.body == [round, number])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a socket path longer than the system's limit works")
    func longPath() throws {
        let server = try EchoServer()
        defer { server.stop() }
        let parent = server.path.replacingLast("echo.sock", by: String(repeating: "d", count: 120))
        #expect(mkdir(parent, 0o700) == 0)
        defer { rmdir(parent) }
        let listener = try Listener(path: parent + "/long.sock")
        defer { listener.close() }
        #expect(throws: TransportFailure.closed) {
            listener.close()
            _ = try listener.accept()
        }
        #expect(throws: TransportFailure.unreachable(path: parent + "/long.sock", errno: ENOENT)) {
            try ClientConnection(connectingTo: parent + "/long.sock")
        }
    }
}

extension String {
    func replacingLast(_ suffix: String, by other: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) + other : self
    }
}
