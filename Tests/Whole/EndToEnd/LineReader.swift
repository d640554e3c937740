import Foundation
import Glibc
import Testing

/// A fingerprint reader behind a socket, for `latchkeyd --test-only-sensor`: one line for each request, one for each answer.
final class LineReader: @unchecked Sendable {
    // Sendable because everything that changes is touched with the condition locked.
    let path: String
    private let listener: Int32
    private let condition = NSCondition()
    private var fingers: [String] = []
    private var enrolments = 0
    private var touches: [String] = []
    private var waitingCount = 0
    private var isClosed = false

    init(path: String) throws {
        self.path = path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(listener, 16) == 0)
        Thread.detachNewThread { [self] in accepting() }
    }

    func close() {
        condition.withLock {
            isClosed = true
            condition.broadcast()
        }
        shutdown(listener, Int32(SHUT_RDWR))
        unlink(path)
    }

    /// The person touches the reader: the next wait for a finger, or step of an enrolment, gets this line as its answer.
    func touch(_ line: String) {
        condition.withLock {
            touches.append(line)
            condition.broadcast()
        }
    }

    /// Returns when a program waits for a touch.
    func waitUntilWanted() {
        condition.withLock {
            while waitingCount == 0 { condition.wait() }
        }
    }

    private func accepting() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            Thread.detachNewThread { [self] in
                answer(client)
                Glibc.close(client)
            }
        }
        Glibc.close(listener)
    }

    private func answer(_ client: Int32) {
        var request: [UInt8] = []
        var byte: UInt8 = 0
        while read(client, &byte, 1) == 1, byte != UInt8(ascii: "\n") { request.append(byte) }
        let words = String(decoding: request, as: UTF8.self).split(separator: " ").map(String.init)
        switch words.first {
        case "survey":
            let (fingers, digest) = condition.withLock { (self.fingers, enrolments) }
            let names = fingers.isEmpty ? "-" : fingers.joined(separator: ",")
            send("survey Reader - \(names) \(fingers.isEmpty ? "-" : String(format: "%064x", digest))", to: client)
        case "match":
            if let line = nextTouch(wantedBy: client) { send(line, to: client) }
        case "enrol": enrol(words.last ?? "", client)
        case "remove":
            condition.withLock {
                fingers.removeAll { words.last == "all" || $0 == words.last }
                enrolments += 1
            }
            send("done", to: client)
        default: break
        }
    }

    private func enrol(_ finger: String, _ client: Int32) {
        send("stage 0 3", to: client)
        while let line = nextTouch(wantedBy: client) {
            if line == "completed" {
                condition.withLock {
                    fingers.append(finger)
                    enrolments += 1
                }
            }
            send(line, to: client)
            if !line.hasPrefix("stage"), !line.hasPrefix("unclear") { return }
        }
    }

    /// Nil when the other side hung up.
    private func nextTouch(wantedBy client: Int32) -> String? {
        condition.withLock {
            waitingCount += 1
            condition.broadcast()
            defer { waitingCount -= 1 }
            while touches.isEmpty, !isClosed, !hasHungUp(client) {
                _ = condition.wait(until: Date(timeIntervalSinceNow: 0.05))
            }
            return touches.isEmpty || isClosed ? nil : touches.removeFirst()
        }
    }

    private func hasHungUp(_ client: Int32) -> Bool {
        var source = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
        guard poll(&source, 1, 0) == 1 else { return false }
        var byte: UInt8 = 0
        return recv(client, &byte, 1, Int32(MSG_PEEK)) <= 0
    }

    private func send(_ line: String, to client: Int32) {
        let bytes = Array((line + "\n").utf8)
        _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
