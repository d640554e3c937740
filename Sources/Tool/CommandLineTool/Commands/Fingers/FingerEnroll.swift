package import ArgumentParser
import Glibc
package import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyPrompt
import Synchronization

/// `latchkey finger enroll`.
package struct FingerEnroll: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Enroll a finger: touch the reader several times. Ctrl-C gives up.",
        discussion: "Items of biometry-current-set are gone for good afterwards.")

    @Argument(
        help: ArgumentHelp(
            "One of: " + Finger.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "finger"))
    package var finger: Finger

    @Flag(help: "Do not ask where items are destroyed.")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common, makesDevice: true)
        guard try device.status().enclave.hasPasscode else {
            throw CommandFailure(
                .noPasscodeSet, "No passcode is set.",
                why: "A finger stands for the passcode, and does not replace it.",
                advice: "`latchkey passcode set` sets one.")
        }
        if let obstacle = try device.biometry().survey.obstacle {
            throw CommandFailure(
                .biometryUnavailable, "No finger can be enrolled now.", why: FingerWords.text(obstacle),
                advice: FingerWords.advice(obstacle))
        }
        try EndingConfirmation(act: "Enrolling a finger", cause: .fingerChange).ask(device, isConfirmed: yes)
        let passcode = try common.secrets.passcode()
        let keychain = device.keychain
        let wasInterrupted = Mutex(false)
        let watch = InterruptWatch { signal in
            wasInterrupted.withLock { $0 = true }
            _ = try? keychain.ask(CancelEnrolment())
            return signal == SIGINT
        }
        defer { watch?.stop() }
        try device.ask(BeginEnrolment(of: finger, passcode: passcode))
        let outcome = try follow(device)
        switch outcome {
        case .completed: return .done("\(finger.rawValue) is enrolled.")
        case .ended where wasInterrupted.withLock({ $0 }):
            throw CommandFailure(.interrupted, "Given up. No finger was enrolled.")
        default: throw FingerWords.failure(outcome)
        }
    }

    /// Shows the user each step; returns the last event.
    private func follow(_ device: DeviceAccess) throws(CommandFailure) -> EnrolmentEvent {
        var shown: String?
        while true {
            let event = try device.ask(ContinueEnrolment())
            guard let line = FingerWords.progress(event) else { return event }
            // The same stage comes again while the reader is not touched.
            if line != shown { StandardError.write(line + "\n") }
            if case .stage = event { shown = line } else { shown = nil }
        }
    }
}
