import CLatchkeyShims
import Glibc

/// A service that returns the digest of one user's templates to every process that may connect to its socket.
///
/// Only root can read fprintd's templates, and the enclave must not be able to. It asks a small process of root, which
/// the enclave's socket starts. The reply is one packet: 32 bytes, or no bytes if there are no readable templates. No
/// request is read.
package enum TemplateService {
    static let digestByteCount = 32
    private static let answerSeconds: Int32 = 2

    /// Serves the connections of a listening socket (`SOCK_SEQPACKET`) until none has come for `idleSeconds`, or
    /// permanently if the number is negative.
    package static func serve(_ listener: Int32, templates directory: String, idleSeconds: Int32) {
        while true {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, idleSeconds < 0 ? -1 : idleSeconds * 1000)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, entry.revents & Int16(POLLIN) != 0 else { return }
            let connection = lk_socket_accept(listener)
            // The service ends; its socket starts it again.
            guard connection >= 0 else { return }
            defer { close(connection) }
            let digest = TemplateDirectory(path: directory).digest() ?? []
            _ = unsafe lk_socket_send(connection, digest, digest.count, -1, 1)
        }
    }

    /// Returns the digest from the service at `path`; nil if it has none, does not reply, or does not belong to root.
    static func ask(_ path: String, trustedUser: UInt32 = 0) -> [UInt8]? {
        let connection = unsafe lk_socket_connect(path)
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var peer = lk_socket_identity()
        guard unsafe lk_socket_identify_peer(connection, &peer, LK_PIDFD_NONE) == 0, peer.uid == trustedUser,
            lk_socket_receive_limit(connection, answerSeconds) == 0
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: digestByteCount + 1)
        var packet = lk_socket_packet()
        guard unsafe lk_socket_receive(connection, &bytes, bytes.count, &packet) == 0 else { return nil }
        if packet.attached >= 0 { close(packet.attached) }
        guard packet.count == digestByteCount, packet.is_truncated == 0 else { return nil }
        return Array(bytes.prefix(digestByteCount))
    }
}
