import Glibc

/// A socket that listens on an address of this machine that no other test uses.
struct LoopbackListener: ~Copyable {
    static let port: UInt16 = 2379
    let descriptor: Int32
    let host: String

    init() throws {
        host = EtcdServer.newHost()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let (descriptor, address) = (descriptor, IPv4Address(host, Self.port))
        guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
            throw EtcdServer.Failure(description: "cannot listen on \(host)")
        }
    }

    deinit { close(descriptor) }

    var url: String { "http://\(host):\(Self.port)" }
}

/// The address of a TCP socket.
struct IPv4Address: Sendable {
    private var address = sockaddr_in()

    init(_ host: String, _ port: UInt16) {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
    }

    func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Returns a connected socket, or nil.
    func connected() -> Int32? {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if withPointer({ connect(number, $0, $1) }) == 0 { return number }
        close(number)
        return nil
    }
}
