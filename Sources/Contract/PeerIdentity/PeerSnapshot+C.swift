import Glibc

@_implementationOnly import CLatchkeyShims

/// The identity of a process when it connected, kept until the handshake has shown that it has not changed.
///
/// A program could connect, leave the socket to a child and become a trusted program before it is inspected. So the
/// snapshot comes first, then a random number that only the socket's holder sees, and every reply must come from the
/// process of the snapshot; ``confirm()`` checks that this process has not become another program meanwhile.
package final class PeerSnapshot: Sendable {
    package let identity: PeerIdentity
    /// The open executable; nil for a program that was not inspected.
    package let program: OpenExecutable?
    /// -1 if the kernel has no descriptors for processes.
    private let processDescriptor: Int32

    /// The source of the descriptor that stands for the peer.
    package enum DescriptorSource: Sendable, CaseIterable {
        /// From the socket, if the kernel supports that (`SO_PEERPIDFD`), else from the process's number.
        case socket
        /// From the process's number, as on older kernels. Another process may have the number since the peer
        /// connected; that one cannot send the nonce back, and ``confirm()`` compares the start times.
        case processNumber
    }

    /// Inspects the process at the other end of a connected socket.
    ///
    /// - Parameter seesProgram: false if the user alone identifies it; then nothing of `/proc` is read, and the
    ///   executable is ``ExecutableFile/unseen``.
    package init(
        ofPeerAt socket: Int32, seesProgram: Bool = true, descriptorFrom source: DescriptorSource = .socket
    ) throws(IdentityFailure) {
        var peer = lk_socket_identity()
        let outcome = unsafe lk_socket_identify_peer(
            socket, &peer, source == .socket ? LK_PIDFD_FROM_SOCKET : LK_PIDFD_FROM_PID)
        guard outcome == 0 else { throw .unknownPeer(errno: -outcome) }
        do throws(IdentityFailure) {
            guard peer.pid > 0 else { throw .unknownPeer(errno: ESRCH) }
            let sharesNamespace = try ProcessNamespace.isOwn(ofProcess: peer.pid, processDescriptor: peer.pidfd)
            if seesProgram {
                (identity, program) = try PeerIdentity.ofProcess(
                    peer.pid, userID: peer.uid, groupID: peer.gid, sharesNamespace: sharesNamespace)
            } else {
                identity = PeerIdentity(
                    ofUnseenProcess: peer.pid, userID: peer.uid, groupID: peer.gid, sharesNamespace: sharesNamespace)
                program = nil
            }
            guard peer.pidfd < 0 || lk_pidfd_is_alive(peer.pidfd) == 1 else { throw .processEnded(pid: peer.pid) }
            processDescriptor = peer.pidfd
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
        // Without a descriptor the number may be another process's by now, which may not have a program to compare.
        guard
            try ProcessNamespace.isOwn(ofProcess: pid, processDescriptor: processDescriptor)
                == identity.sharesNamespace
        else { throw .programChanged(pid: pid) }
        if program != nil {
            // In this order: the record shows an exec between the two.
            guard try ExecutableFile.isSameFile(identity.executable, inProcess: pid),
                try ProcessRecord(ofProcess: pid) == identity.record
            else { throw .programChanged(pid: pid) }
        }
        guard processDescriptor < 0 || lk_pidfd_is_alive(processDescriptor) == 1 else {
            throw .processEnded(pid: pid)
        }
    }
}

extension PeerIdentity {
    /// Describes a process of which only the user is known.
    init(ofUnseenProcess pid: Int32, userID: UInt32, groupID: UInt32, sharesNamespace: Bool) {
        self.init(
            processID: pid, userID: userID, groupID: groupID, executable: .unseen, sharesNamespace: sharesNamespace,
            record: ProcessRecord(startTime: 0, startStack: 0))
    }

    /// Identifies the program of process `pid` now. The kernel has named the user: files in `/proc` are not reliable
    /// for that.
    init(ofProcess pid: Int32, userID: UInt32, groupID: UInt32) throws(IdentityFailure) {
        self = try Self.ofProcess(
            pid, userID: userID, groupID: groupID,
            sharesNamespace: try ProcessNamespace.isOwn(ofProcess: pid, processDescriptor: -1)
        ).identity
    }

    /// Identifies the program of process `pid` now, and opens its file. ``PeerSnapshot/confirm()`` checks that file and
    /// record belong to one program.
    static func ofProcess(
        _ pid: Int32, userID: UInt32, groupID: UInt32, sharesNamespace: Bool
    ) throws(IdentityFailure) -> (identity: PeerIdentity, program: OpenExecutable) {
        // The record first: `confirm()` reads it again last, which shows an exec in between.
        let before = try ProcessRecord(ofProcess: pid)
        let program = try OpenExecutable(ofProcess: pid)
        let executable = try ExecutableFile(program: program, ofProcess: pid)
        let identity = PeerIdentity(
            processID: pid, userID: userID, groupID: groupID, executable: executable,
            sharesNamespace: sharesNamespace, record: before)
        return (identity, program)
    }

    /// Identifies this process itself, for devices that are opened in the program that uses them.
    package static func ofThisProcess() throws(IdentityFailure) -> PeerIdentity {
        try PeerIdentity(ofProcess: getpid(), userID: geteuid(), groupID: getegid())
    }
}
