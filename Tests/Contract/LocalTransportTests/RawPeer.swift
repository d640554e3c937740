import CLatchkeyShims
import Glibc
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyThreading

@testable import LatchkeyLocalTransport

/// The client's end of a socket pair whose other end a ``ServerConnection`` serves, for frames that no honest client sends.
final class RawPeer: Sendable {
    let descriptor: Descriptor
    private let server: Descriptor

    init() throws {
        var ends: [Int32] = [-1, -1]
        let outcome = lk_socket_pair(&ends, 1)
        guard outcome == 0 else { throw TransportFailure.system(call: "socketpair", errno: -outcome) }
        server = Descriptor(owning: ends[0])
        descriptor = Descriptor(owning: ends[1])
    }

    /// The course of the server's side of a connection: the number of messages it took, and its end.
    struct Course: Sendable {
        var messages = 0
        var failure: TransportFailure?
    }

    /// Greets the raw peer and receives until the end, on the calling thread. The peer's frames must be sent from
    /// another thread, or be queued before.
    func serve() -> Course {
        var course = Course()
        do throws(TransportFailure) {
            let inspector = PeerInspector()
            let snapshot = try inspector.snapshot(ofPeerAt: server)
            let connection = try ServerConnection(over: server, snapshot: snapshot, inspector: inspector)
            while let message = try connection.receive() {
                course.messages += 1
                try connection.send(message)
            }
        } catch {
            course.failure = error
        }
        server.shutdown()
        return course
    }

    /// Runs `body` beside ``serve()`` and gives what the server made of it.
    func course(_ body: @escaping @Sendable (RawPeer) -> Void) -> Course {
        let isStarted = DetachedThread.start {
            body(self)
            // Say no more, but listen to the end: the server must not see a peer that is gone.
            shutdown(self.descriptor.number, Int32(SHUT_WR))
            _ = self.refusal()
        }
        precondition(isStarted)
        return serve()
    }

    /// Receives the greeting and gives its nonce.
    func nonce() -> Nonce {
        let channel = FrameChannel(descriptor)
        return (try? channel.receive())?.header.nonce ?? .none
    }

    func send(_ bytes: [UInt8], attached: [Int32] = []) {
        if attached.count < 2 {
            _ = lk_socket_send(descriptor.number, bytes, bytes.count, attached.first ?? -1, 0)
        } else {
            sendMany(bytes, attached)
        }
    }

    /// The reason that the server gave as its last word; nil if it said nothing.
    func refusal() -> TransportRefusal? {
        let channel = FrameChannel(descriptor)
        while let frame = try? channel.receive() {
            guard frame.header.kind == .refusal else { continue }
            return TransportRefusal(rawValue: String(decoding: frame.message.body, as: UTF8.self))
        }
        return nil
    }

    private func sendMany(_ bytes: [UInt8], _ attached: [Int32]) {
        var bytes = bytes
        let space = MemoryLayout<cmsghdr>.size + attached.count * 4
        let control = UnsafeMutableRawBufferPointer.allocate(byteCount: (space + 7) / 8 * 8, alignment: 8)
        defer { control.deallocate() }
        var header = cmsghdr()
        header.cmsg_len = space
        header.cmsg_level = SOL_SOCKET
        header.cmsg_type = Int32(SCM_RIGHTS)
        control.storeBytes(of: header, as: cmsghdr.self)
        for (index, number) in attached.enumerated() {
            control.storeBytes(of: number, toByteOffset: MemoryLayout<cmsghdr>.size + index * 4, as: Int32.self)
        }
        bytes.withUnsafeMutableBytes { buffer in
            var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
            withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = control.count
                _ = sendmsg(descriptor.number, &message, Int32(MSG_NOSIGNAL))
            }
        }
    }
}

/// The bytes of a frame.
func frame(_ kind: FrameKind, _ message: WireMessage = WireMessage(body: []), nonce: Nonce) -> [UInt8] {
    let header = FrameHeader(kind: kind, message: message, nonce: nonce)
    var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount + header.contentCount)
    bytes.withUnsafeMutableBytes { buffer in
        header.write(to: buffer)
        FrameContent.write(message, to: UnsafeMutableRawBufferPointer(rebasing: buffer[FrameHeader.byteCount...]))
    }
    return bytes
}
