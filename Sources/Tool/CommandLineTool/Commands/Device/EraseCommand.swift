package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// `latchkey erase`.
package struct EraseCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Destroy every key, and with them every item. This is final.")

    @Flag(help: "Do not ask for the word \"erase\".")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, changes: true)
        let status = try device.status()
        if !yes { try confirm(status, device) }
        let needsPasscode = status.enclave.hasPasscode && !status.enclave.isDisabled
        let passcode = needsPasscode ? try common.secrets.passcode() : nil
        try device.ask(EraseDevice(passcode: passcode))
        return .done("The device is erased. It has no passcode and no items.")
    }

    private func confirm(_ status: DeviceStatus, _ device: DeviceAccess) throws(CommandFailure) {
        let confirmation = Confirmation(word: "erase", unchanged: "Nothing was erased.")
        try confirmation.requireTerminal(why: "Erasing cannot be undone, and there is no terminal to ask on.")
        let count = status.itemCounts.values.reduce(0, +)
        // A device that cannot count them is erased all the same.
        var groups = ""
        if let preview = try? device.endings(.erasure), preview.count > 0 {
            groups = ": " + EndingConfirmation.groups(preview.counts)
        }
        try confirmation.ask("This forgets \(ItemCount.text(count)) of \(status.directory) for ever\(groups).")
    }
}
