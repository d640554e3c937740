import CShims
import Glibc
package import PeerIdentity

/// A socket that clients connect to. Its file has mode 0600 and is removed by ``close()``.
///
/// A socket file left by a process that was killed is replaced: whoever listens must hold the device's lock, which
/// proves that nobody else serves it.
package final class Listener: Sendable {
    package let path: String
    private let descriptor: Descriptor
    private let inspector: PeerInspector

    private static let backlog: Int32 = 128

    package init(path: String, inspector: PeerInspector = PeerInspector()) throws(TransportFailure) {
        let number = unsafe lk_socket_listen(path, Self.backlog)
        guard number >= 0 else { throw .system(call: "listen on \(path)", errno: -number) }
        self.path = path
        self.descriptor = Descriptor(owning: number)
        self.inspector = inspector
    }

    /// Waits for the next client and looks at it at once. `.closed` after ``close()``.
    ///
    /// A client that cannot be identified is refused here, and the failure names it; the listener goes on.
    package func accept() throws(TransportFailure) -> Arrival {
        let number = lk_socket_accept(descriptor.number)
        guard number >= 0 else {
            if number == -EINVAL { throw .closed }
            throw .system(call: "accept", errno: -number)
        }
        let client = Descriptor(owning: number)
        do throws(TransportFailure) {
            return Arrival(
                descriptor: client, snapshot: try inspector.snapshot(ofPeerAt: client), inspector: inspector)
        } catch {
            FrameChannel(client).refuse(error, nonce: .none)
            throw error
        }
    }

    /// Stops accepting and removes the socket's file.
    package func close() {
        unsafe unlink(path)
        descriptor.shutdown()
    }

    /// A client that connected and was identified, but has not yet proved that it is still the same.
    package final class Arrival: Sendable {
        let descriptor: Descriptor
        private let snapshot: PeerSnapshot
        private let inspector: PeerInspector

        package var peer: PeerIdentity { snapshot.identity }

        init(descriptor: Descriptor, snapshot: PeerSnapshot, inspector: PeerInspector) {
            self.descriptor = descriptor
            self.snapshot = snapshot
            self.inspector = inspector
        }

        /// Finishes the handshake. Waits for the client, so do this on the thread that will serve it.
        package func greet() throws(TransportFailure) -> ServerConnection {
            try ServerConnection(over: descriptor, snapshot: snapshot, inspector: inspector)
        }

        /// Throws unless the client is still the program that connected; part of ``greet()``.
        func confirm() throws(TransportFailure) {
            try inspector.confirm(snapshot)
        }

        /// Sends the client away with a reason.
        package func refuse(_ failure: TransportFailure) {
            FrameChannel(descriptor).refuse(failure, nonce: .none)
            descriptor.shutdown()
        }

        func refuse(_ refusal: TransportRefusal) {
            try? FrameChannel(descriptor).send(
                .refusal, WireMessage(body: Array(refusal.rawValue.utf8)), nonce: .none, withoutWaiting: true)
            descriptor.shutdown()
        }
    }
}
