import Glibc
import LatchkeyThreading
import Synchronization

/// A reader with one enrolled finger that is touched whenever the enclave waits for it. It speaks to the enclave over
/// a socket, a line for a line.
final class FingerReader: Sendable {
    private static let survey = "survey bench-reader - right-index-finger 00ff\n"

    let path: String
    private let listener: Int32
    private let lastMatch = Atomic<UInt64>(0)

    init(in directory: String) throws {
        path = directory + "/reader.sock"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0, path.utf8.count < 100 else { throw Failure("no socket for the reader") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
        }
        guard bound == 0, listen(listener, 16) == 0 else { throw Failure("the reader cannot listen at \(path)") }
        guard DetachedThread.start({ [self] in serve() }) else { throw Failure("no thread for the reader") }
    }

    /// When the reader said last that a finger matched, on the clock of ``nanoseconds()``.
    var lastMatchSeconds: Double { Double(lastMatch.load(ordering: .acquiring)) / 1e9 }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            answer(connection)
            close(connection)
        }
    }

    private func answer(_ connection: Int32) {
        var line = [UInt8](repeating: 0, count: 256)
        let count = recv(connection, &line, line.count, 0)
        guard count > 0 else { return }
        let isMatch = line.starts(with: Array("match".utf8))
        let reply = Array((isMatch ? "matched right-index-finger\n" : Self.survey).utf8)
        if isMatch { lastMatch.store(nanoseconds(), ordering: .releasing) }
        _ = send(connection, reply, reply.count, 0)
    }
}
