package import ArgumentParser
package import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// `latchkey finger`.
package struct FingerCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "finger", abstract: "The fingers that unlock the device and open items.",
        discussion: """
            Fingers are enrolled with the machine's fingerprint reader, for the owner of the device. Items that were \
            added with biometry-current-set are gone for good when a finger is enrolled or removed.
            """,
        subcommands: [FingerEnroll.self, FingerList.self, FingerRemove.self])

    package init() {}
}

/// `latchkey finger list`.
package struct FingerList: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the fingerprint reader, what is enrolled, and whether a finger counts now."
    )

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let status = try device.biometry()
        let fingers = status.survey.fingers.map(\.rawValue)
        let rows = [
            ("Reader", device.socketPath == nil ? FingerWords.noDaemon : FingerWords.reader(status)),
            ("Fingers", fingers.isEmpty ? "none" : fingers.joined(separator: ", ")),
            ("State", device.socketPath == nil ? "no finger counts without a daemon" : FingerWords.state(status)),
        ]
        let text = rows.map { $0.0 + String(repeating: " ", count: 10 - $0.0.utf8.count) + $0.1 }.joined(
            separator: "\n")
        return Report(text, json: FingerWords.json(status))
    }
}

/// `latchkey finger remove`.
package struct FingerRemove: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a finger. Items of biometry-current-set are gone for good afterwards.")

    @Argument(help: ArgumentHelp("The finger, by its name in `latchkey finger list`.", valueName: "finger"))
    package var finger: Finger?

    @Flag(help: "Remove every finger.")
    package var all = false

    @Flag(help: "Do not ask where items are destroyed.")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard (finger != nil) != all else { throw ValidationError("Name one finger, or say --all.") }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        guard try device.status().enclave.hasPasscode else { throw CommandFailure(.noPasscodeSet) }
        try EndingConfirmation(act: "Removing a finger", cause: .fingerChange).ask(device, isConfirmed: yes)
        let passcode = try common.secrets.passcode()
        switch try device.ask(RemoveFinger(finger, passcode: passcode)) {
        case .removed:
            return .done(finger.map { "\($0.rawValue) is removed." } ?? "Every finger is removed.")
        case .failed(let obstacle):
            throw CommandFailure(
                .enrolmentFailed, "Nothing was removed.", why: FingerWords.text(obstacle),
                advice: FingerWords.advice(obstacle))
        }
    }
}

extension Finger: ExpressibleByArgument {}
