package import ArgumentParser
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// `latchkey status`.
package struct StatusCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what state the device is in and what it holds.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let status = try device.status()
        let biometry = try device.biometry()
        let tool = try device.ownersTool()
        let second = DeviceAccess.secondDevice(common)
        let backups = try device.ask(DescribeBackups())
        let revision = device.enclaveRevision()
        return Report(
            Self.text(status, biometry, backups, revision) + OwnersToolWords.status(tool, second: second),
            json: Self.json(status, biometry, backups, tool, second, revision))
    }

    static func text(
        _ status: DeviceStatus, _ biometry: BiometryStatus, _ backups: BackupSettings,
        _ revision: EnclaveRevision? = nil
    ) -> String {
        let enclave = status.enclave
        var rows = [
            ("Device", status.directory),
            ("Reached", status.kind == "daemon" ? "through its daemon" : "in this process (no daemon runs)"),
            ("State", state(enclave)),
            ("Passcode", passcode(enclave)),
            ("Fingerprints", status.kind == "daemon" ? FingerWords.summary(biometry) : FingerWords.noDaemon),
            ("Lock", lock(enclave)),
            ("Items", items(status)),
            ("File classes", FileAvailability(enclave.lockState).text),
            ("Backup", backup(backups)),
            (
                "Root of trust",
                enclave.rootOfTrust == "software" ? "software: a file of this user" : enclave.rootOfTrust
            ),
            ("Audit", status.directory + "/keychain/audit (`latchkey audit tail`)"),
        ]
        rows.append(("This program", "has assurance level \(status.callerLevel.rawValue) (latchkey access test)"))
        if revision?.needsRestart == true {
            rows.append(
                (
                    "Upgrade",
                    "not finished: the enclave still runs the former program. Restart it: "
                        + EnclaveRevision.restartAdvice
                ))
        }
        if status.requiredLevel != .c {
            rows.append(("Serves", "programs of assurance level \(status.requiredLevel.rawValue) or better only"))
        }
        if status.removesItemsOfForgottenApps {
            rows.append(("Forgotten apps", "their items are removed"))
        }
        if status.quarantinedRows > 0 {
            rows.append(
                ("Quarantine", ItemCount.text(status.quarantinedRows, "row") + " that could not be read, set aside"))
        }
        if let ended = EndedWords.summary(status.endedItems) {
            rows.append(("Ended", ended + ": on purpose, not damaged (`latchkey item gone`)"))
        }
        if let damage = status.damageReport { rows.append(("Damage", damage)) }
        return rows.map { name, value in
            name + String(repeating: " ", count: max(1, 15 - name.utf8.count)) + value
        }.joined(separator: "\n")
    }

    private static func state(_ enclave: EnclaveStatus) -> String {
        if let left = enclave.graceSecondsLeft { return "locking: the keys go in \(seconds(left))" }
        switch enclave.lockState {
        case .noPasscode: return "open: no passcode is set"
        case .unlocked: return "unlocked"
        case .locked: return "locked"
        case .beforeFirstUnlock: return "locked, and not unlocked since it started"
        }
    }

    private static func lock(_ enclave: EnclaveStatus) -> String {
        let text = "keys go \(seconds(enclave.gracePeriodSeconds)) after `latchkey lock`, at once with --now"
        guard let lockAfter = enclave.lockAfterSeconds else { return text }
        return text + "; locks by itself after \(GuessingTime.duration(lockAfter)) without use"
    }

    private static func passcode(_ enclave: EnclaveStatus) -> String {
        guard enclave.hasPasscode else { return "not set" }
        if enclave.isDisabled { return "set; disabled after ten wrong tries: `latchkey erase` is what is left" }
        var text = "set"
        if enclave.failedAttempts > 0 { text += ", \(enclave.failedAttempts) wrong in a row" }
        if enclave.secondsUntilNextAttempt > 0 {
            text += ", next try in \(seconds(enclave.secondsUntilNextAttempt))"
        }
        if enclave.eraseAfterTenFailures { text += ", erases after ten wrong tries" }
        let worth = GuessingTime.text(enclave.passcodeStrength, secondsPerTry: enclave.secondsPerTry)
        return text + (worth.map { "; with the files, " + $0 } ?? "")
    }

    private static func items(_ status: DeviceStatus) -> String {
        let names = [
            ("genp", "generic password"), ("inet", "internet password"), ("cert", "certificate"), ("keys", "key"),
        ]
        let counts = names.compactMap { code, name -> String? in
            guard let count = status.itemCounts[code], count > 0 else { return nil }
            return ItemCount.text(count, name)
        }
        return counts.isEmpty ? "none" : counts.joined(separator: ", ")
    }

    private static func backup(_ backups: BackupSettings) -> String {
        guard let last = backups.lastBackup else {
            return "none yet: a lost disk is a lost keychain (`latchkey backup create`)"
        }
        return "the last one was made on \(CalendarDate.text(last))"
    }

    private static func seconds(_ seconds: Double) -> String {
        "\(Int(seconds.rounded(.up))) s"
    }

    private static func json(
        _ status: DeviceStatus, _ biometry: BiometryStatus, _ backups: BackupSettings, _ tool: OwnersTool,
        _ second: DeviceDirectory?, _ revision: EnclaveRevision?
    ) -> JSONValue {
        let items = status.itemCounts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.integer($0.value)) }
        let former = tool.formerHomes.reduce(0) { $0 + $1.itemCount }
        let device: [(String, JSONValue)] = [
            ("device", .string(status.directory)),
            ("kind", .string(status.kind)),
        ]
        let rest: [(String, JSONValue)] = [
            ("endedItems", EndedWords.json(status.endedItems)),
            ("biometry", FingerWords.json(biometry)),
            ("items", .object(items)),
            ("fileClasses", FileAvailability(status.enclave.lockState).json),
            ("lastBackup", backups.lastBackup.map { .string(CalendarDate.text($0)) } ?? .null),
            ("hasBackupPassword", .boolean(backups.hasPassword)),
            ("quarantinedRows", .integer(status.quarantinedRows)),
            ("removesItemsOfForgottenApps", .boolean(status.removesItemsOfForgottenApps)),
            ("requiredLevel", .string(status.requiredLevel.rawValue)),
            ("callerLevel", .string(status.callerLevel.rawValue)),
            ("damage", status.damageReport.map(JSONValue.string) ?? .null),
            ("secondDevice", second.map { .string($0.path) } ?? .null),
            ("isOwnersTool", .boolean(tool.isCaller)),
            ("itemsUnderFormerPaths", .integer(former)),
            ("restartFinishesUpgrade", revision.map { .boolean($0.needsRestart) } ?? .null),
        ]
        return .object(device + json(status.enclave) + rest)
    }

    private static func json(_ enclave: EnclaveStatus) -> [(String, JSONValue)] {
        [
            ("lockState", .string(enclave.lockState.rawValue)),
            ("hasPasscode", .boolean(enclave.hasPasscode)),
            ("failedAttempts", .integer(Int64(enclave.failedAttempts))),
            ("secondsUntilNextAttempt", .number(enclave.secondsUntilNextAttempt)),
            ("isDisabled", .boolean(enclave.isDisabled)),
            ("eraseAfterTenFailures", .boolean(enclave.eraseAfterTenFailures)),
            ("gracePeriodSeconds", .number(enclave.gracePeriodSeconds)),
            ("lockAfterSeconds", enclave.lockAfterSeconds.map(JSONValue.number) ?? .null),
            ("passcodeStrength", enclave.passcodeStrength.map { .string("\($0)") } ?? .null),
            ("secondsPerTry", enclave.secondsPerTry.map(JSONValue.number) ?? .null),
            ("graceSecondsLeft", enclave.graceSecondsLeft.map(JSONValue.number) ?? .null),
            ("rootOfTrust", .string(enclave.rootOfTrust)),
            ("keybag", .string(Hexadecimal.text(enclave.keybagUUID))),
        ]
    }
}
