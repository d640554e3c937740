import Glibc
import LatchkeyDevice
import LatchkeyPlainText

/// The checks of a device's directories: their owner, and that no other user can enter.
enum DirectorySteps {
    static func device(_ directory: DeviceDirectory, owner: UInt32) -> [InstallationStep] {
        let parts = [directory.path, directory.enclave, directory.keychain, directory.run]
        for path in parts where FileFacts(path) != nil || path == directory.path {
            let step = step("device directory", path, owner: owner)
            if step.state == .missing { return [step] }
        }
        return [step("device directory", directory.path, owner: owner)]
    }

    static func system(_ system: SystemInstallation) -> [InstallationStep] {
        let users = [("daemon", system.daemonUser), ("enclave", system.enclaveUser)].map { role, name in
            InstallationStep(
                "user of the \(role)", holds: Account.userID(name) != nil,
                Account.userID(name).map { "\(name) (\($0))" } ?? "there is no user \(name)",
                mend: "latchkey-setup --owner \(system.owner)")
        }
        guard let daemon = Account.userID(system.daemonUser), let enclave = Account.userID(system.enclaveUser) else {
            return users
        }
        return users + [
            InstallationStep(
                "separate users",
                holds: daemon != enclave && daemon != geteuid() && enclave != geteuid() && daemon != 0,
                "daemon \(daemon), enclave \(enclave), this user \(geteuid())",
                mend: "run latchkey doctor as the device's owner; if it says the same, Scripts/install-system"),
            step("device directory", system.device.path, owner: daemon),
            step("enclave directory", system.enclaveStorage, owner: enclave),
            socket("keychain socket", system.keychainSocket, owner: Account.userID(system.owner), system.daemonUnit),
            socket("enclave socket", system.enclaveSocket, owner: daemon, system.enclaveUnit),
        ] + store(system, daemon: daemon)
    }

    /// Nothing where the device has no store of item sync.
    private static func store(_ system: SystemInstallation, daemon: UInt32) -> [InstallationStep] {
        guard FileFacts(system.storeFile) != nil else { return [] }
        let user = Account.userID(system.transportUser)
        return [
            InstallationStep(
                "user of the transport", holds: user != nil && user != daemon && user != 0,
                user.map { "\(system.transportUser) (\($0))" } ?? "there is no user \(system.transportUser)",
                mend: "latchkey-setup --owner \(system.owner)"),
            socket("transport socket", system.transportSocket, owner: daemon, system.transportUnit),
        ]
    }

    private static func step(_ name: String, _ path: String, owner: UInt32) -> InstallationStep {
        let user = Account.userName(owner) ?? String(owner)
        guard let facts = FileFacts(path) else {
            return InstallationStep(
                name, .missing, "\(path) is not there", mend: "install -d -o \(user) -m 0700 '\(path)'")
        }
        return InstallationStep(
            name, holds: facts.isDirectory && facts.owner == owner && facts.mode & 0o077 == 0,
            "\(path): \(facts.text)", mend: "chown -R \(user) '\(path)' && chmod 700 '\(path)'")
    }

    private static func socket(_ name: String, _ path: String, owner: UInt32?, _ unit: String) -> InstallationStep {
        guard let facts = FileFacts(path) else {
            return InstallationStep(
                name, .missing, "\(path) is not there", mend: "systemctl enable --now \(unit).socket")
        }
        let directory = PathText.directory(of: path)
        let isSafe = FileFacts.changeable(directory, by: 0) == nil
        return InstallationStep(
            name, holds: facts.owner == owner && facts.mode & 0o077 == 0 && isSafe,
            isSafe ? "\(path): \(facts.text)" : "others than root can replace \(path)",
            mend: "chown -R root:root '\(directory)' && chmod 755 '\(directory)' && systemctl restart \(unit).socket")
    }
}
