import Glibc

/// A line-based conversation over a Unix stream socket.
///
/// Safe: the connection owns its descriptor, and one thread uses it.
final class LineConnection {
    private let descriptor: Int32
    private var buffered: [UInt8] = []

    private static let lineLimit = 4096

    /// Returns nil if no process serves the socket.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        let capacity = unsafe withUnsafeBytes(of: &address.sun_path) { $0.count }
        guard name.count < capacity else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let outcome = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard outcome == 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns false if the other end has closed the connection.
    func send(_ line: String) -> Bool {
        let bytes = Array((line + "\n").utf8)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Returns the next line without its line break.
    func line(_ wait: BusWait) throws(BusFailure) -> String {
        while true {
            if let end = buffered.firstIndex(of: 10) {
                defer { buffered.removeSubrange(...end) }
                return String(decoding: buffered[..<end], as: UTF8.self)
            }
            guard buffered.count < Self.lineLimit else { throw .malformed }
            if let end = wait.end { throw end }
            wait.poll(descriptor, Int16(POLLIN))
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { throw .lost }
            buffered += bytes[..<count]
        }
    }
}
