import Glibc
package import LatchkeyPeerIdentity

/// The one peer that a process of the device talks to: a user, and the program of that user.
package struct ProgramAdmission: Sendable {
    private let userID: UInt32
    /// Nil if the user has no other program.
    private let path: [UInt8]?

    /// - Parameter path: nil for a user that runs nothing else, and whose programs this process may not inspect.
    package init(userID: UInt32, path: [UInt8]?) {
        self.userID = userID
        self.path = path
    }

    /// The path of a program that is installed beside this one.
    package static func path(besideThisProgram name: String) throws(IdentityFailure) -> [UInt8] {
        let own = try PeerIdentity.ofThisProcess().executable.path
        return own.prefix(own.count - (own.split(separator: UInt8(ascii: "/")).last?.count ?? 0)) + Array(name.utf8)
    }

    /// The decision about a peer. The file is looked up each time, because the program may have been updated meanwhile.
    package func admission(of peer: PeerIdentity) -> Server.Admission {
        guard peer.userID == userID else {
            return .refused(
                reason: "process \(peer.processID) belongs to user \(peer.userID), and only user \(userID) is served")
        }
        guard peer.sharesNamespace else {
            return .refused(
                reason: "process \(peer.processID) has a pid namespace of its own, where others can speak in its name")
        }
        guard let path else { return .allowed }
        let text = String(decoding: path, as: UTF8.self)
        guard let expected = ExecutableFile.file(at: path) else {
            return .refused(reason: "there is no \(text), and only that program is served")
        }
        guard peer.executable.isSameFile(as: expected) else {
            return .refused(reason: "process \(peer.processID) runs \(peer.displayName), and only \(text) is served")
        }
        return .allowed
    }
}
