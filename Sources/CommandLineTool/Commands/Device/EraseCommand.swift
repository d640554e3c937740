package import ArgumentParser
import Glibc
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// `latchkey erase`.
package struct EraseCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "erase", abstract: "Forget every key, and with them every item, for ever.")

    @Flag(help: "Do not ask for the word \"erase\".")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let status = try device.status()
        if !yes { try confirm(status, device) }
        let needsPasscode = status.enclave.hasPasscode && !status.enclave.isDisabled
        let passcode = needsPasscode ? try common.secrets.passcode() : nil
        _ = try device.ask(.erase(passcode: passcode))
        return .done("The device is erased. It has no passcode and no items.")
    }

    private func confirm(_ status: DeviceStatus, _ device: DeviceAccess) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                .notConfirmed, "Nothing was erased.", why: "Erasing cannot be undone and nobody is there to ask.",
                advice: "Say --yes if it is meant.")
        }
        let count = status.itemCounts.values.reduce(0, +)
        // A device that cannot count them is erased all the same.
        var groups = ""
        if case .endings(let preview)? = try? device.ask(.endings(.erasure)), preview.count > 0 {
            groups = ": " + EndingConfirmation.groups(preview.counts)
        }
        StandardError.write(
            "This forgets the \(count) items of \(status.directory) for ever\(groups).\nType erase to go on: ")
        guard let answer = readLine(), answer == "erase" else {
            throw CommandFailure(.notConfirmed, "Nothing was erased.", why: "The answer was not the word \"erase\".")
        }
    }
}
