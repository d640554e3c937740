import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// The checks of the device's own status.
enum DeviceSteps {
    /// - Parameters:
    ///   - revision: the enclave's; nil if it is not known.
    ///   - restart: the command that restarts the enclave.
    ///   - tool: the command line of the user who may set the first passcode.
    static func steps(
        _ status: DeviceStatus, _ revision: EnclaveRevision?, restart: String, tool: String = "latchkey"
    ) -> [InstallationStep] {
        let enclave = status.enclave
        return upgrade(revision, restart) + [
            passcode(enclave, tool),
            damage(status),
            InstallationStep("protected files", .ok, FileAvailability(enclave.lockState).text),
            InstallationStep(
                "root of trust", .notice,
                enclave.rootOfTrust == "software"
                    ? "software: a file; a copy of all files can be attacked elsewhere" : enclave.rootOfTrust),
        ]
    }

    /// An upgrade leaves the enclave running, because a restart locks the device.
    private static func upgrade(_ revision: EnclaveRevision?, _ restart: String) -> [InstallationStep] {
        guard let revision, revision.isFormer else { return [] }
        return [
            InstallationStep(
                "upgrade", .missing,
                "the enclave runs since before it and does not know every request. A restart finishes it, and locks a "
                    + "device with a passcode", mend: restart)
        ]
    }

    private static func damage(_ status: DeviceStatus) -> InstallationStep {
        if let report = status.damageReport {
            return InstallationStep("database", .missing, report, mend: "Docs/Manual/Damage.md: restore a backup")
        }
        guard status.quarantinedRows == 0 else {
            return InstallationStep(
                "database", .missing, ItemCount.text(status.quarantinedRows, "row") + " could not be read; set aside",
                mend: "Docs/Manual/Damage.md: restore a backup, or delete them")
        }
        let ended = EndedWords.summary(status.endedItems).map { "; ended on purpose: \($0) (latchkey item gone)" }
        return InstallationStep("database", .ok, "not damaged" + (ended ?? ""))
    }

    private static func passcode(_ enclave: EnclaveStatus, _ tool: String) -> InstallationStep {
        guard enclave.hasPasscode else {
            return InstallationStep(
                "passcode", .notice, "not set: any user or program that can read the files reads every item",
                mend: "\(tool) passcode set")
        }
        let worth = GuessingTime.text(enclave.passcodeStrength, secondsPerTry: enclave.secondsPerTry)
        let found = "set; the device is \(name(of: enclave))" + (worth.map { "; with the files, " + $0 } ?? "")
        guard enclave.passcodeStrength == .tenThousand else { return InstallationStep("passcode", .ok, found) }
        return InstallationStep("passcode", .notice, found, mend: "latchkey passcode change")
    }

    private static func name(of enclave: EnclaveStatus) -> String {
        switch enclave.lockState {
        case .noPasscode: "open"
        case .unlocked: "unlocked"
        case .locked: "locked"
        case .beforeFirstUnlock: "locked, not yet unlocked since it started"
        }
    }

    /// Checks that the audit log is kept.
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
