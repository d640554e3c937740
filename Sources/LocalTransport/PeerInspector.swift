package import PeerIdentity

/// How a server looks at its peers: in its own threads, or, once those are confined, through the one that is not.
package struct PeerInspector: Sendable {
    private let outside: OutsideThread?

    /// `outside` is needed by processes that confine themselves with Landlock.
    package init(outside: OutsideThread? = nil) {
        self.outside = outside
    }

    func snapshot(ofPeerAt descriptor: Descriptor) throws(TransportFailure) -> PeerSnapshot {
        try run { () throws(IdentityFailure) in try PeerSnapshot(ofPeerAt: descriptor.number) }
    }

    func confirm(_ snapshot: PeerSnapshot) throws(TransportFailure) {
        try run { () throws(IdentityFailure) in try snapshot.confirm() }
    }

    private func run<R: Sendable>(
        _ body: @escaping @Sendable () throws(IdentityFailure) -> R
    ) throws(TransportFailure) -> R {
        let attempt: @Sendable () -> Result<R, IdentityFailure> = {
            do throws(IdentityFailure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        switch outside?.perform(attempt) ?? attempt() {
        case .success(let value): return value
        case .failure(let failure): throw .peerUnidentified(failure)
        }
    }
}
