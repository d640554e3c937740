import LatchkeyPeerIdentity

/// The program that a client expects at a socket, where its user alone does not tell.
///
/// The kernel names the process that listens. That process must be able to be inspected, and it must serve by itself: an
/// answer of another process that has the socket is refused.
package struct ServerProgram: Sendable {
    private let admission: ProgramAdmission
    private let inspector: PeerInspector

    package init(_ admission: ProgramAdmission, inspector: PeerInspector) {
        self.admission = admission
        self.inspector = inspector
    }

    func snapshot(ofServerAt descriptor: Descriptor) throws(TransportFailure) -> PeerSnapshot {
        let snapshot = try inspector.snapshot(ofPeerAt: descriptor)
        if case .refused(let reason) = admission.admission(of: snapshot.identity) {
            throw .peerNotAllowed(reason: reason)
        }
        return snapshot
    }

    func confirm(_ snapshot: PeerSnapshot) throws(TransportFailure) {
        try inspector.confirm(snapshot)
    }
}
