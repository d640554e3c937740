import ArgumentParser
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The part of `passcode set` and `passcode change` that looks at the new passcode.
package struct NewPasscodeOptions: ParsableArguments {
    @Flag(help: "Accept a passcode whose form has few possibilities, such as four digits.")
    package var acceptWeak = false

    package init() {}

    /// The new passcode, and what trying all of its form takes on this machine. A weak one is taken only if that is meant.
    func read(
        _ common: CommonOptions, _ device: DeviceAccess
    ) throws(CommandFailure) -> (passcode: SecretBox, worth: String) {
        let passcode = try common.secrets.newPasscode()
        let form = PasscodeForm(of: passcode)
        let worth = GuessingTime.text(form, secondsPerTry: try device.secondsPerPasscodeTry())
        if PasscodeStrength(form) == .tenThousand, passcode.count > 0, !acceptWeak { try confirm(worth, common) }
        return (passcode, worth)
    }

    private func confirm(_ worth: String, _ common: CommonOptions) throws(CommandFailure) {
        guard Confirmation.isPossible, common.passcodeFd == nil else {
            throw CommandFailure(
                .passcodeUnusable, "The passcode is too easily guessed, and was not set.", why: worth,
                advice: "Choose six digits or more, or better a few words; or say --accept-weak if it is meant.")
        }
        try Confirmation(word: "yes", unchanged: "No passcode was set.").ask(worth, to: "use it anyway")
    }
}
