/// A reason for which the program of a process cannot be identified.
package enum IdentityFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The process ended before or during the inspection.
    case processEnded(pid: Int32)
    /// The process forbids inspection, or this process may not inspect it (`/proc/PID/exe`).
    case notInspectable(pid: Int32, errno: Int32)
    /// The process became another program since it connected.
    case programChanged(pid: Int32)
    /// The kernel does not know the process at the other end of the socket.
    case unknownPeer(errno: Int32)
    /// `/proc/PID/stat` does not have the documented form.
    case badProcessRecord(pid: Int32)

    package var description: String {
        switch self {
        case .processEnded(let pid):
            "process \(pid) ended while it was being identified"
        case .notInspectable(let pid, let errno):
            "the program of process \(pid) cannot be seen (error \(errno)): it forbids inspection, or it runs as another user"
        case .programChanged(let pid):
            "process \(pid) started another program after it had connected"
        case .unknownPeer(let errno):
            "the kernel does not say who connected (error \(errno))"
        case .badProcessRecord(let pid):
            "/proc/\(pid)/stat cannot be read as the kernel documents it"
        }
    }
}
