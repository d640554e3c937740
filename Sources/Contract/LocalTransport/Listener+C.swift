import Glibc
package import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyThreading

@_implementationOnly import CLatchkeyShims

/// A socket that clients connect to. Its file has mode 0600 and is removed by ``close()``, unless the socket was passed
/// to this process: then it belongs to the process that opened it, which may go on listening there.
///
/// A socket file that a killed process left behind is replaced: the caller must hold the device's lock, which proves
/// that no other process serves it.
package final class Listener: Sendable {
    package let path: String
    private let descriptor: Descriptor
    private let inspector: PeerInspector
    /// Wakes the accepting thread if the socket must not be shut down, because other processes have it, too.
    private let stopper: Descriptor?

    private static let backlog: Int32 = 128

    package init(path: String, inspector: PeerInspector = PeerInspector()) throws(TransportFailure) {
        let number = unsafe lk_socket_listen(path, Self.backlog)
        guard number >= 0 else { throw .system(call: "listen on \(path)", errno: -number) }
        self.path = path
        self.descriptor = Descriptor(owning: number)
        self.inspector = inspector
        self.stopper = nil
    }

    /// Serves a passed socket.
    package init(serving passed: PassedSocket, inspector: PeerInspector = PeerInspector()) throws(TransportFailure) {
        let number = lk_stopper_create()
        guard number >= 0 else { throw .system(call: "eventfd", errno: -number) }
        self.path = passed.path
        self.descriptor = Descriptor(owning: passed.descriptor)
        self.inspector = inspector
        self.stopper = Descriptor(owning: number)
    }

    /// Waits for the next client and inspects it at once. `.closed` after ``close()``.
    ///
    /// A client that cannot be identified is refused here, and the failure names it; the listener continues.
    package func accept() throws(TransportFailure) -> Arrival {
        if let stopper {
            let outcome = lk_socket_wait(descriptor.number, stopper.number)
            guard outcome != 0 else { throw .closed }
            guard outcome > 0 else { throw .system(call: "poll", errno: -outcome) }
        }
        let number =
            stopper == nil ? lk_socket_accept(descriptor.number) : lk_socket_accept_adopted(descriptor.number)
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

    /// Stops accepting and removes the socket's file; for a passed socket it only stops accepting.
    package func close() {
        if let stopper { return lk_stopper_stop(stopper.number) }
        unsafe unlink(path)
        descriptor.shutdown()
    }

    /// A client that connected and was identified, but has not yet proved that it has not changed.
    package final class Arrival: Sendable {
        let descriptor: Descriptor
        package let peer: PeerIdentity
        /// Passed on by ``greet()``: it has descriptors of its own, which a connection needs only until then.
        private let snapshot: ForkMutex<PeerSnapshot?>
        private let inspector: PeerInspector

        init(descriptor: Descriptor, snapshot: PeerSnapshot, inspector: PeerInspector) {
            self.descriptor = descriptor
            self.peer = snapshot.identity
            self.snapshot = ForkMutex(snapshot)
            self.inspector = inspector
        }

        /// Finishes the handshake, once. Waits for the client, so call this on the thread that will serve it.
        package func greet() throws(TransportFailure) -> ServerConnection {
            let taken = snapshot.withLock { snapshot in
                defer { snapshot = nil }
                return snapshot
            }
            guard let taken else { preconditionFailure("a client is greeted once") }
            return try ServerConnection(over: descriptor, snapshot: taken, inspector: inspector)
        }

        /// Throws unless the client still runs the program that connected; part of ``greet()``.
        func confirm() throws(TransportFailure) {
            guard let snapshot = snapshot.withLock({ $0 }) else { preconditionFailure("the client was greeted") }
            try inspector.confirm(snapshot)
        }

        /// Refuses the client with a reason.
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
