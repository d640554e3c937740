import Dispatch
import Glibc
package import LatchkeyPeerIdentity
import LatchkeyThreading

/// A server on a socket: a thread that accepts, and a thread for every connection. A few threads wait for the next
/// connection when theirs is over: making a thread costs more than a short connection.
///
/// Programs have shares of the connections (``ConnectionShares``). A client waits for each reply, so it keeps one
/// thread busy and no more; one that sends requests faster than ``MessageRateLimiter`` is slowed down. A connection ends
/// with its first malformed frame.
package final class Server: Sendable {
    /// The decision whether a program may connect.
    package enum Admission: Sendable {
        case allowed
        case refused(reason: String)
    }

    private let listener: Listener
    private let shares: ConnectionShares
    private let admission: @Sendable (PeerIdentity) -> Admission
    private let log: @Sendable (String) -> Void
    private let serve: @Sendable (ServerConnection) throws(TransportFailure) -> Void
    private let connections = ForkMutex(Connections())
    private let nextArrival = DispatchSemaphore(value: 0)

    private static let idleThreadLimit = 8

    private struct Connections {
        var open: [ObjectIdentifier: (descriptor: Descriptor, program: ConnectionShares.Program)] = [:]
        /// The number of each program's connections.
        var counts: [ConnectionShares.Program: Int] = [:]
        var isStopping = false
        /// Threads that wait for a connection, and the connections that wait for one of them.
        var idleThreads = 0
        var arrivals: [Listener.Arrival] = []
    }

    /// `serve` runs on the connection's own thread until the connection is over; `log` receives one line per event.
    package init(
        listener: Listener, shares: ConnectionShares = .undivided(limit: TransportLimits.connections),
        admission: @escaping @Sendable (PeerIdentity) -> Admission,
        log: @escaping @Sendable (String) -> Void,
        serve: @escaping @Sendable (ServerConnection) throws(TransportFailure) -> Void
    ) {
        self.listener = listener
        self.shares = shares
        self.admission = admission
        self.log = log
        self.serve = serve
    }

    /// Starts accepting. The threads are as confined as the calling one.
    package func start() throws(TransportFailure) {
        guard DetachedThread.start({ self.acceptConnections() }) else {
            throw .system(call: "pthread_create", errno: EAGAIN)
        }
    }

    /// Stops accepting, ends all connections and removes the socket's file. Does not wait for running calls.
    package func stop() {
        listener.close()
        let open = connections.withLock { state in
            state.isStopping = true
            for _ in 0..<state.idleThreads { nextArrival.signal() }
            return state.open.values.map(\.descriptor)
        }
        for descriptor in open { descriptor.shutdown() }
    }

    /// The number of open connections.
    package var connectionCount: Int { connections.withLock { $0.open.count } }

    private func acceptConnections() {
        while true {
            do throws(TransportFailure) {
                try begin(try listener.accept())
            } catch .closed {
                return
            } catch .system(let call, let errno) {
                log("cannot accept: \(TransportFailure.system(call: call, errno: errno))")
                // No descriptors or threads left: only waiting helps, without a busy loop.
                usleep(50_000)
            } catch {
                log("refused a connection: \(error)")
            }
        }
    }

    private func begin(_ arrival: Listener.Arrival) throws(TransportFailure) {
        if case .refused(let reason) = admission(arrival.peer) {
            arrival.refuse(.peerNotAllowed)
            throw .peerNotAllowed(reason: reason)
        }
        let id = ObjectIdentifier(arrival.descriptor)
        let program = ConnectionShares.Program(arrival.peer)
        let isTaken = connections.withLock { state in
            let own = state.counts[program] ?? 0
            guard !state.isStopping, shares.admit(arrival.peer, open: state.open.count, own: own) else { return false }
            state.open[id] = (arrival.descriptor, program)
            state.counts[program] = own + 1
            return true
        }
        guard isTaken else {
            arrival.refuse(.tooManyConnections)
            throw .refused(.tooManyConnections)
        }
        let isTakenOver = connections.withLock { state in
            guard state.idleThreads > state.arrivals.count else { return false }
            state.arrivals.append(arrival)
            return true
        }
        if isTakenOver {
            nextArrival.signal()
            return
        }
        guard DetachedThread.start({ self.runThread(arrival) }) else {
            finish(id)
            throw .system(call: "pthread_create", errno: EAGAIN)
        }
    }

    private func runThread(_ first: Listener.Arrival) {
        run(first)
        while let next = waitForArrival() { run(next) }
    }

    /// Returns the next connection for this thread; nil if enough others wait, or the server stops.
    private func waitForArrival() -> Listener.Arrival? {
        let waits = connections.withLock { state in
            guard state.idleThreads < Self.idleThreadLimit, !state.isStopping else { return false }
            state.idleThreads += 1
            return true
        }
        guard waits else { return nil }
        nextArrival.wait()
        return connections.withLock { state in
            state.idleThreads -= 1
            return state.arrivals.isEmpty ? nil : state.arrivals.removeFirst()
        }
    }

    private func run(_ arrival: Listener.Arrival) {
        let id = ObjectIdentifier(arrival.descriptor)
        defer { finish(id) }
        do throws(TransportFailure) {
            try serve(try arrival.greet())
        } catch .closed {
            // The client disconnected in the middle of a call, as it may.
        } catch {
            log("ended the connection of process \(arrival.peer.processID): \(error)")
        }
    }

    private func finish(_ id: ObjectIdentifier) {
        let descriptor = connections.withLock { state -> Descriptor? in
            guard let (descriptor, program) = state.open.removeValue(forKey: id) else { return nil }
            let own = state.counts[program] ?? 0
            state.counts[program] = own > 1 ? own - 1 : nil
            return descriptor
        }
        // The client must see the end even while the thread still holds the connection.
        descriptor?.shutdown()
    }
}
