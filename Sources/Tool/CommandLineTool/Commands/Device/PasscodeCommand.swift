package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages

/// `latchkey passcode`.
package struct PasscodeCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "passcode", abstract: "Set, change or remove the device passcode.",
        subcommands: [Set.self, Change.self, Remove.self])

    package init() {}

    /// `latchkey passcode set`.
    package struct Set: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set a passcode. Items of the locking classes are protected by it from now on.")

        @OptionGroup package var new: NewPasscodeOptions
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let device = try DeviceAccess(common, makesDevice: true)
            guard try !device.status().enclave.hasPasscode else { throw CommandFailure(.passcodeAlreadySet) }
            let (passcode, worth) = try new.read(common, device)
            try device.ask(SetPasscode(passcode))
            let state =
                device.socketPath != nil
                ? "The passcode is set and the device is unlocked. `latchkey lock` locks it."
                : "The passcode is set. No daemon runs, so the device is locked again now. To unlock it: "
                    + device.unlockAdvice
            return .done(state + "\n" + worth)
        }
    }

    /// `latchkey passcode change`.
    package struct Change: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "change",
            abstract: "Change the passcode. From standard input: the old one on the first line, the new on the second.")

        @OptionGroup package var new: NewPasscodeOptions
        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let device = try DeviceAccess(common, changes: true)
            guard try device.status().enclave.hasPasscode else { throw CommandFailure(.noPasscodeSet) }
            let current = try common.secrets.passcode(prompt: "Current passcode: ")
            let (passcode, worth) = try new.read(common, device)
            try device.ask(ChangePasscode(from: current, to: passcode))
            return .done("The passcode is changed.\n" + worth)
        }
    }

    /// `latchkey passcode remove`.
    package struct Remove: ToolCommand {
        package static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove the passcode. Items that need one (when-passcode-set) are gone afterwards.")

        @Flag(help: "Do not ask where items are destroyed.")
        package var yes = false

        @OptionGroup package var common: CommonOptions

        package init() {}

        package func perform() throws(CommandFailure) -> Report {
            let device = try DeviceAccess(common, changes: true)
            guard try device.status().enclave.hasPasscode else { throw CommandFailure(.noPasscodeSet) }
            try EndingConfirmation(act: "Removing the passcode", cause: .passcodeRemoval).ask(device, isConfirmed: yes)
            try device.ask(RemovePasscode(common.secrets.passcode()))
            return .done("The passcode is removed. The device cannot be locked any more.")
        }
    }
}
