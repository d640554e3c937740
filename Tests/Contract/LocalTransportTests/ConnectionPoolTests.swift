import Foundation
import Glibc
import LatchkeySecretMemory
import Synchronization
import Testing

@testable import LatchkeyLocalTransport

@Suite struct ConnectionPoolTests {
    @Test("many calls at once share a limited number of connections, and all are answered")
    func limit() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "pool-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/s"
        let opened = Mutex(0)
        let server = try Server(
            listener: Listener(path: path), admission: { _ in .allowed }, log: { _ in }
        ) { connection throws(TransportFailure) in
            opened.withLock { $0 += 1 }
            while let message = try connection.receive() { try connection.send(message) }
        }
        try server.start()
        defer { server.stop() }
        let pool = ConnectionPool { () throws(TransportFailure) in try ClientConnection(connectingTo: path) }
        let answered = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            let message = WireMessage(body: [UInt8(truncatingIfNeeded: number)])
            if let answer = try? pool.call(message, mayRepeat: false), answer.body == message.body {
                answered.withLock { $0 += 1 }
            }
        }
        #expect(answered.withLock { $0 } == 200)
        let threads = (0..<100).map { number in
            let thread = Thread {
                for _ in 0..<20 { _ = try? pool.call(WireMessage(body: [UInt8(number)]), mayRepeat: false) }
                answered.withLock { $0 += 1 }
            }
            thread.start()
            return thread
        }
        while threads.contains(where: { !$0.isFinished }) { usleep(1_000) }
        #expect(answered.withLock { $0 } == 300)
        #expect(opened.withLock { $0 } <= ConnectionPool.limit)
    }
}
