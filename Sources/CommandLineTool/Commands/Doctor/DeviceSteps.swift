import LatchkeyDevice
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// What the device says about itself.
enum DeviceSteps {
    static func steps(_ status: DeviceStatus) -> [InstallationStep] {
        let enclave = status.enclave
        return [
            enclave.hasPasscode
                ? InstallationStep("passcode", .ok, "set; the device is \(name(of: enclave))")
                : InstallationStep(
                    "passcode", .notice, "not set: whoever gets at the files reads every item",
                    mend: "latchkey passcode set"),
            damage(status),
            InstallationStep(
                "root of trust", .notice,
                enclave.rootOfTrust == "software"
                    ? "software: a file; a copy of all files can be attacked elsewhere" : enclave.rootOfTrust),
        ]
    }

    private static func damage(_ status: DeviceStatus) -> InstallationStep {
        if let report = status.damageReport {
            return InstallationStep("database", .missing, report, mend: "Docs/Manual/Damage.md: restore a backup")
        }
        guard status.quarantinedRows == 0 else {
            return InstallationStep(
                "database", .missing, "\(status.quarantinedRows) rows could not be read and were set aside",
                mend: "Docs/Manual/Damage.md: restore a backup, or delete them")
        }
        return InstallationStep("database", .ok, "no damage")
    }

    private static func name(of enclave: EnclaveStatus) -> String {
        switch enclave.lockState {
        case .noPasscode: "open"
        case .unlocked: "unlocked"
        case .locked: "locked"
        case .beforeFirstUnlock: "locked, not yet unlocked since it started"
        }
    }

    /// Whether the log of who used what is kept.
    static func auditLog(_ directory: DeviceDirectory, isOwnFile: Bool) -> InstallationStep {
        guard isOwnFile else {
            return InstallationStep(
                "audit log", .notice, "in the daemon's files, for root to read",
                mend: "sudo latchkey audit verify --device \(directory.path)")
        }
        let path = directory.keychain + "/audit"
        return InstallationStep(
            "audit log", FileFacts(path) == nil ? .notice : .ok,
            FileFacts(path) == nil ? "\(path) is not there yet: it begins with the first call" : path)
    }
}
