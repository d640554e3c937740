package import LatchkeyPeerIdentity

/// The inspection of a server's peers: in its own threads, or, once those are confined, through the one that is not.
package struct PeerInspector: Sendable {
    private let outside: OutsideThread?
    private let seesPrograms: Bool
    private let descriptorSource: PeerSnapshot.DescriptorSource

    /// `outside` is needed by processes that confine themselves with Landlock. Without `seesPrograms` a peer is known
    /// only by its user: for servers that may not inspect programs of another user, and whose one client has a user of
    /// its own.
    package init(
        outside: OutsideThread? = nil, seesPrograms: Bool = true,
        descriptorFrom descriptorSource: PeerSnapshot.DescriptorSource = .socket
    ) {
        self.outside = outside
        self.seesPrograms = seesPrograms
        self.descriptorSource = descriptorSource
    }

    func snapshot(ofPeerAt descriptor: Descriptor) throws(TransportFailure) -> PeerSnapshot {
        try run { [seesPrograms, descriptorSource] () throws(IdentityFailure) in
            try PeerSnapshot(
                ofPeerAt: descriptor.number, seesProgram: seesPrograms, descriptorFrom: descriptorSource)
        }
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
