import Glibc
import LatchkeyLocalTransport
import Synchronization

/// A directory of its own for sockets.
final class SocketDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/latchkey-device-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            return mkdtemp(start) != nil
        }
        guard made else { throw TransportFailure.system(call: "mkdtemp", errno: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        rmdir(path)
    }
}
