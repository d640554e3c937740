import ArgumentParser
import Glibc
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The part of `passcode set` and `passcode change` that looks at the new passcode.
package struct NewPasscodeOptions: ParsableArguments {
    @Flag(help: "Take a passcode with which all of its form are tried soon, as with four digits.")
    package var acceptWeak = false

    package init() {}

    /// The new passcode, and what trying all of its form takes on this machine. A weak one is taken only if that is meant.
    func read(
        _ common: CommonOptions, _ device: DeviceAccess
    ) throws(CommandFailure) -> (passcode: SecretBox, worth: String) {
        let passcode = try common.secrets.newPasscode()
        guard case .passcodeCost(let secondsPerTry) = try device.ask(.passcodeCost) else {
            throw CommandFailure(.failure, "The device answered something else than the cost of a passcode.")
        }
        let form = PasscodeForm(of: passcode)
        let worth = GuessingTime.text(form, secondsPerTry: secondsPerTry)
        if PasscodeStrength(form) == .tenThousand, passcode.count > 0, !acceptWeak { try confirm(worth, common) }
        return (passcode, worth)
    }

    private func confirm(_ worth: String, _ common: CommonOptions) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1, common.passcodeFd == nil else {
            throw CommandFailure(
                .passcodeUnusable, "The passcode is too easily guessed, and was not set.", why: worth,
                advice: "Choose six digits or more, or better a few words; or say --accept-weak if it is meant.")
        }
        StandardError.write(worth + "\nType yes to take it all the same: ")
        guard let answer = readLine(), answer == "yes" else {
            throw CommandFailure(.notConfirmed, "No passcode was set.", why: "The answer was not the word \"yes\".")
        }
    }
}
