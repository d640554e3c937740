import Glibc

@_implementationOnly import CLatchkeyShims

/// A listening socket that the process's starter opened for it, as systemd does (sd_listen_fds(3)).
///
/// It comes as descriptor 3, with `LISTEN_PID`, `LISTEN_FDS` and, optionally, `LISTEN_FDNAMES` in the environment.
package struct PassedSocket: Sendable {
    package let descriptor: Int32
    /// The path of the socket; empty for a socket without a name.
    package let path: String

    /// The first descriptor that can be passed; 0 to 2 are the standard streams.
    static let firstDescriptor: Int32 = 3

    /// Returns the socket passed to this process, nil if there is none. Clears the variables, so that no program
    /// started later takes them for its own; call this once, while the process has one thread.
    ///
    /// - Parameter name: the required name of the socket, if it has one (`FileDescriptorName=`).
    package static func take(named name: String) throws(PassedSocketFailure) -> PassedSocket? {
        let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
        let values = variables.map { variable in
            unsafe getenv(variable).map { unsafe String(cString: $0) }
        }
        for variable in variables { unsafe unsetenv(variable) }
        let isPassed = try isOnePassed(
            processID: values[0], count: values[1], names: values[2], ownID: getpid(), expectedName: name)
        return isPassed ? try PassedSocket(adopting: firstDescriptor) : nil
    }

    /// Checks the three variables for the process `ownID`: true if exactly one socket was passed, by the right name.
    static func isOnePassed(
        processID: String?, count: String?, names: String?, ownID: Int32, expectedName: String
    ) throws(PassedSocketFailure) -> Bool {
        guard let count else { return false }
        // The variables are for another process, which started this one without clearing them.
        guard let processID, Int32(processID) == ownID else { return false }
        guard let number = Int(count), number >= 0 else { throw .badCount(count) }
        guard number > 0 else { return false }
        guard number == 1 else { throw .tooMany(number) }
        // Without a name of its own a socket is named after its unit, or "unknown".
        guard let names, !names.isEmpty, names != "unknown", !names.hasSuffix(".socket") else { return true }
        guard names == expectedName else { throw .wrongName(expected: expectedName, found: names) }
        return true
    }

    /// Takes over a descriptor if it is a socket that can be served.
    init(adopting descriptor: Int32) throws(PassedSocketFailure) {
        let outcome = lk_socket_adopt(descriptor)
        guard outcome == 0 else { throw .unusable(PassedSocketFailure.Fault(errno: -outcome)) }
        var text = [CChar](repeating: 0, count: 128)
        let length = unsafe lk_socket_path(descriptor, &text, text.count)
        self.descriptor = descriptor
        self.path =
            length > 0 ? String(decoding: text[..<Int(length)].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }
}
