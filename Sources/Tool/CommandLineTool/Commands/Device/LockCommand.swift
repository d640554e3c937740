package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// `latchkey lock`.
package struct LockCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Lock the device. Its keys go at the end of the grace period.")

    @Flag(help: "Without the grace period: the keys go at once.")
    package var now = false

    @Flag(help: "Lock at once, and let no finger unlock the device or open an item until the passcode was given.")
    package var requirePasscode = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        guard !requirePasscode else {
            try device.ask(LockRemotely())
            return .done("The device is locked. The passcode comes first.")
        }
        try device.ask(LockDevice(immediately: now))
        let status = try device.status()
        guard let left = status.enclave.graceSecondsLeft else {
            let note = status.kind == "daemon" ? "" : " (No daemon runs: a device is locked whenever it is not in use.)"
            return .done("The device is locked." + note)
        }
        return .done("The device is locking: its keys go in \(Int(left.rounded(.up))) s.")
    }
}

/// `latchkey unlock`.
package struct UnlockCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock the device with its passcode, or with a finger.")

    @Flag(help: "With a finger, at the fingerprint reader.")
    package var finger = false

    @Option(
        help: ArgumentHelp(
            "With the passcode in a credential that systemd loaded for this service.", valueName: "credential"))
    package var credential: String?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func validate() throws {
        guard credential != nil, finger || common.passcodeFd != nil else { return }
        throw ValidationError("--credential is instead of --finger and --passcode-fd: leave them out.")
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let status = try device.status()
        guard status.enclave.hasPasscode else { throw CommandFailure(.noPasscodeSet) }
        guard status.kind == "daemon" else {
            throw CommandFailure(
                .deviceUnreachable, "No daemon runs that could keep the device unlocked.",
                why: "Without one, a device exists only inside each process that uses it.",
                advice: device.unlockAdvice)
        }
        if finger {
            try FingerUnlock(device: device).perform()
        } else if let credential {
            try device.ask(UnlockDevice(ServiceCredential(name: credential).line()))
        } else {
            try device.ask(UnlockDevice(common.secrets.passcode()))
        }
        return .done("The device is unlocked.")
    }
}
