import CShims
import Glibc

/// What a process was when it connected, kept until the handshake has shown that it still is.
///
/// A program could connect, leave the socket to a child and turn itself into a trusted program before anybody looks.
/// So the snapshot comes first, then a random number that only the socket's holder sees, and every answer must come
/// from the process of the snapshot; ``confirm()`` finds out whether that process became another program meanwhile.
package final class PeerSnapshot: Sendable {
    package let identity: PeerIdentity
    /// -1 where the kernel has no descriptors for processes.
    private let processDescriptor: Int32

    /// Looks at the process at the other end of a connected socket.
    package init(ofPeerAt socket: Int32) throws(IdentityFailure) {
        var peer = lk_socket_identity()
        let outcome = unsafe lk_socket_identify_peer(socket, &peer)
        guard outcome == 0 else { throw .unknownPeer(errno: -outcome) }
        do throws(IdentityFailure) {
            guard peer.pid > 0 else { throw .unknownPeer(errno: ESRCH) }
            let identity = try PeerIdentity(ofProcess: peer.pid, userID: peer.uid, groupID: peer.gid)
            guard peer.pidfd < 0 || lk_pidfd_is_alive(peer.pidfd) == 1 else { throw .processEnded(pid: peer.pid) }
            self.identity = identity
            self.processDescriptor = peer.pidfd
        } catch {
            if peer.pidfd >= 0 { close(peer.pidfd) }
            throw error
        }
    }

    deinit {
        if processDescriptor >= 0 { close(processDescriptor) }
    }

    /// Throws unless the process is still running the program that the snapshot saw.
    package func confirm() throws(IdentityFailure) {
        let pid = identity.processID
        let now = try PeerIdentity(ofProcess: pid, userID: identity.userID, groupID: identity.groupID)
        guard processDescriptor < 0 || lk_pidfd_is_alive(processDescriptor) == 1 else {
            throw .processEnded(pid: pid)
        }
        guard now.record == identity.record, now.executable.isSameFile(as: identity.executable) else {
            throw .programChanged(pid: pid)
        }
    }
}

extension PeerIdentity {
    /// The program of process `pid` now. The user is the one the kernel named: files in `/proc` do not tell it reliably.
    init(ofProcess pid: Int32, userID: UInt32, groupID: UInt32) throws(IdentityFailure) {
        // The record before and after: what is read in between belongs to one program.
        let before = try ProcessRecord(ofProcess: pid)
        let executable = try ExecutableFile(ofProcess: pid)
        guard try ProcessRecord(ofProcess: pid) == before else { throw .programChanged(pid: pid) }
        self.init(processID: pid, userID: userID, groupID: groupID, executable: executable, record: before)
    }

    /// This process itself, for devices that are opened in the program that uses them.
    package static func ofThisProcess() throws(IdentityFailure) -> PeerIdentity {
        try PeerIdentity(ofProcess: getpid(), userID: geteuid(), groupID: getegid())
    }
}
