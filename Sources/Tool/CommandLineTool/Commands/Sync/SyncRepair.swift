package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync repair`.
package struct SyncRepair: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Give this device a new identity in its circle. Asks for an invitation code and the passcode.",
        discussion: """
            For a device that was restored from an old copy or runs twice, and for one whose passcode was removed and set \
            again. Another device makes the code with `latchkey sync invite`, approves this one, and then removes its \
            old identity. Items stay, and none comes back that was deleted meanwhile. A device that is alone in its circle \
            needs no code.
            """)

    @Flag(help: "Return when the request is in the store, and do not wait for the approval.")
    package var noWait = false

    @OptionGroup package var code: CodeInput
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        let circle = try device.activeCircle()
        let isAlone = circle.devices.count { $0.isMember } == 1
        let passcode = try device.ownersPasscode(common)
        let code = isAlone ? nil : try code.code(prompt: "Invitation code: ")
        let repaired = try device.ask(RepairDevice(code: code, passcode: passcode))
        let identifier = Hexadecimal.text(repaired.identifier)
        if let recovery = repaired.recoveryCode {
            return .secret(
                recovery, named: "recoveryCode",
                before: "This device is \(identifier) now. The recovery code is a new one, shown this once:\n",
                after: "The code before it is worth nothing any more.", more: [("device", .string(identifier))]
            ).showing(
                recovery, orElse: "This device is \(identifier) now, and the new recovery code was not shown.")
        }
        let former = circle.device.map { Hexadecimal.text($0) } ?? ""
        let advice = "Remove the old identity there: `latchkey sync remove \(former)`."
        guard repaired.isWaiting else {
            return Report("This device is \(identifier) now.", json: json(identifier, former, "member"))
        }
        let waits =
            "This device is \(identifier) from now on, as soon as `latchkey sync approve` on the other one admits it."
        guard !noWait else { return Report("\(waits) \(advice)", json: json(identifier, former, "waiting")) }
        if !common.json { StandardError.write("\(waits) Waiting (Ctrl-C ends the wait alone).\n") }
        _ = try device.waitForAdmission(of: repaired.identifier)
        return Report("This device has its new identity. \(advice)", json: json(identifier, former, "member"))
    }

    private func json(_ identifier: String, _ former: String, _ membership: String) -> JSONValue {
        .object([
            ("device", .string(identifier)), ("former", .string(former)), ("membership", .string(membership)),
        ])
    }
}
