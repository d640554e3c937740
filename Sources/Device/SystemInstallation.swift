/// Where a system installation keeps the device of one user, and under which users; `Packaging/systemd` has the same
/// names.
package struct SystemInstallation: Sendable, Hashable {
    /// The group of setgid programs whose memory and environment their own user cannot reach. Nobody is its member.
    package static let trustedGroup = "latchkey-apps"

    /// The user whose device it is.
    package let owner: String
    /// Owns the device's keychain and runs `latchkeyd`.
    package let daemonUser: String
    /// Owns the device's enclave and runs `latchkey-enclave`.
    package let enclaveUser: String
    private let root: String

    /// - Parameter root: what stands before all paths; empty for the running system.
    package init(
        owner: String, root: String = "", daemonUser: String = "latchkey", enclaveUser: String = "latchkey-enclave"
    ) {
        self.owner = owner
        self.root = root
        self.daemonUser = daemonUser
        self.enclaveUser = enclaveUser
    }

    package var programs: String { root + "/usr/lib/latchkey" }
    package var runDirectory: String { root + "/run/latchkey/" + owner }
    package var keychainSocket: String { runDirectory + "/keychain.sock" }
    package var enclaveSocket: String { runDirectory + "/enclave.sock" }
    package var device: DeviceDirectory { DeviceDirectory(path: root + "/var/lib/latchkey/" + owner) }
    package var enclaveStorage: String { root + "/var/lib/latchkey-enclave/" + owner }
    /// The names of its units are these with `.service` and `.socket` behind.
    package var daemonUnit: String { "latchkeyd@" + owner }
    package var enclaveUnit: String { "latchkey-enclave@" + owner }
}
