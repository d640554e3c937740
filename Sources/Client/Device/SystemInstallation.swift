/// Where a system installation keeps the device of one user, and under which users; `Packaging/systemd` has the same
/// names.
package struct SystemInstallation: Sendable, Hashable {
    /// The group of setgid programs whose memory and environment their own user cannot reach. It has no members.
    package static let trustedGroup = "latchkey-apps"

    /// The user whose device it is.
    package let owner: String
    /// Owns the device's keychain and runs `latchkeyd`.
    package let daemonUser: String
    /// Owns the device's enclave and runs `latchkey-enclave`.
    package let enclaveUser: String
    /// Runs `latchkey-transport`, if the device has a store of item sync.
    package let transportUser: String
    private let root: String

    /// - Parameters:
    ///   - root: the prefix of all paths; empty for the running system.
    ///   - daemonUser: nil for the name that `Scripts/install-system` gives; so are the others.
    package init(
        owner: String, root: String = "", daemonUser: String? = nil, enclaveUser: String? = nil,
        transportUser: String? = nil
    ) {
        self.owner = owner
        self.root = root
        self.daemonUser = daemonUser ?? Self.user("latchkeyd-", of: owner)
        self.enclaveUser = enclaveUser ?? Self.user("latchkeye-", of: owner)
        self.transportUser = transportUser ?? Self.user("latchkeyt-", of: owner)
    }

    /// Each device has users of its own, named after its owner; by number where the name does not fit into one that
    /// systemd takes. `Scripts/install-system` has the same rule.
    private static func user(_ role: String, of owner: String) -> String {
        let name = role + owner
        guard name.utf8.count > userNameByteLimit || owner.contains(".") else { return name }
        return role + (Account.userID(owner).map { String($0) } ?? owner)
    }

    private static let userNameByteLimit = 31

    package var programs: String { root + "/usr/lib/latchkey" }
    package var runDirectory: String { root + "/run/latchkey/" + owner }
    package var keychainSocket: String { runDirectory + "/keychain.sock" }
    package var enclaveSocket: String { runDirectory + "/enclave.sock" }
    package var transportSocket: String { runDirectory + "/transport.sock" }
    /// Names the store of item sync; it is missing where the device has none.
    package var storeFile: String { root + "/etc/latchkey/sync/" + owner + ".conf" }
    package var device: DeviceDirectory { DeviceDirectory(path: root + "/var/lib/latchkey/" + owner) }
    package var enclaveStorage: String { root + "/var/lib/latchkey-enclave/" + owner }
    /// The names of its units are these with `.service` and `.socket` behind.
    package var daemonUnit: String { "latchkeyd@" + owner }
    package var enclaveUnit: String { "latchkey-enclave@" + owner }
    package var transportUnit: String { "latchkey-transport@" + owner }
}
