import Glibc
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyPrompt
import Synchronization

/// Unlocks the device with a finger: as many touches as it takes, until the passcode has to come first.
struct FingerUnlock {
    private static let seconds = 30.0

    let device: DeviceAccess

    func perform() throws(CommandFailure) {
        let keychain = device.keychain
        let wasInterrupted = Mutex(false)
        let watch = InterruptWatch { signal in
            wasInterrupted.withLock { $0 = true }
            _ = try? keychain.ask(CancelUnlock())
            return signal == SIGINT
        }
        defer { watch?.stop() }
        let status = try device.biometry()
        if let rule = status.obstacle { throw FingerWords.failure(rule, reader: status.survey.obstacle) }
        StandardError.write("Touch the fingerprint reader.\n")
        while true {
            guard !wasInterrupted.withLock({ $0 }) else { throw Self.interrupted }
            switch try device.ask(UnlockWithFinger(seconds: Self.seconds)) {
            case .matched: return
            case .notMatched(missesLeft: 0): throw FingerWords.failure(.biometryLockedOut)
            case .notMatched(let left):
                StandardError.write(
                    "Not recognised; \(ItemCount.text(left, "try", "tries")) left. Touch the reader again.\n")
            case .unclear(let touch): StandardError.write(FingerWords.hint(touch) + "\n")
            case .cancelled: throw Self.interrupted
            case .timedOut:
                throw CommandFailure(
                    .nobodyThere, "The device is still locked.",
                    why: "The reader was not touched for \(Int(Self.seconds)) s.",
                    advice: "Run the command again, or `latchkey unlock` with the passcode.")
            case .refused(let rule): throw FingerWords.failure(rule, reader: try device.biometry().survey.obstacle)
            }
        }
    }

    private static let interrupted = CommandFailure(
        .interrupted, "The device is still locked.", why: "The wait was ended.")
}
