package import ArgumentParser
package import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// `latchkey configure`.
package struct ConfigureCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "configure", abstract: "Change how the device treats wrong passcodes, locking and forgotten apps.")

    package enum Switch: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @Option(help: ArgumentHelp("Erase the device at the tenth wrong passcode in a row.", valueName: "on|off"))
    package var eraseAfterTen: Switch?

    @Option(help: ArgumentHelp("The time that the keys stay after `lock`.", valueName: "seconds"))
    package var grace: Double?

    @Option(
        help: ArgumentHelp(
            "Lock the device after this time without use: 1 to 1440 minutes, or never.", valueName: "minutes|never"))
    package var lockAfter: IdleTime?

    @Option(
        help: ArgumentHelp(
            "Keep or remove a forgotten app's items if no other app has their group.", valueName: "keep|remove"))
    package var itemsOfForgottenApps: ItemFate?

    @Option(
        help: ArgumentHelp(
            "The weakest assurance level of programs that are served: A, B, or C for all.", valueName: "A|B|C"))
    package var requireLevel: AssuranceLevel?

    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        guard
            eraseAfterTen != nil || grace != nil || lockAfter != nil || itemsOfForgottenApps != nil
                || requireLevel != nil
        else {
            throw ValidationError(
                "Say what to change: --erase-after-ten on|off, --grace SECONDS, --lock-after MINUTES|never, --items-of-forgotten-apps keep|remove, "
                    + "--require-level A|B|C.")
        }
        if let grace, !DeviceSettings.gracePeriodRange.contains(grace) {
            throw ValidationError("The grace period is between 0 and 14400 seconds.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, makesDevice: true)
        let passcode = try device.status().enclave.hasPasscode ? try common.secrets.passcode() : nil
        if eraseAfterTen != nil || grace != nil || lockAfter != nil {
            try device.ask(
                ConfigureDevice(
                    passcode: passcode, eraseAfterTenFailures: eraseAfterTen.map { $0 == .on },
                    gracePeriodSeconds: grace, lockAfterSeconds: lockAfter?.seconds))
        }
        if let itemsOfForgottenApps {
            try device.ask(
                ConfigureApplications(removesItems: itemsOfForgottenApps == .remove, passcode: passcode))
        }
        if let requireLevel { try device.ask(RequireLevel(requireLevel, passcode: passcode)) }
        return .done("The settings are changed.")
    }
}

/// The time for which an unused device stays unlocked.
package struct IdleTime: ExpressibleByArgument, Sendable, Hashable {
    /// 0: the device does not lock by itself.
    package let seconds: Double

    package init?(argument: String) {
        if argument == "never" {
            seconds = 0
            return
        }
        guard let minutes = Int(argument), (1...1440).contains(minutes) else { return nil }
        seconds = Double(minutes) * 60
    }
}

extension AssuranceLevel: ExpressibleByArgument {}
