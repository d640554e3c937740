import Glibc
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

extension DeviceAccess {
    private static let tries = 3

    /// Prompts a user at the terminal for the passcode of a device that is locked, and unlocks it.
    ///
    /// - Returns: true if it was locked and is unlocked now. If not, the refusal of the call names the cause.
    func offerUnlocking() -> Bool {
        guard offersUnlocking, Self.isInFront, let enclave = try? status().enclave else { return false }
        guard enclave.hasPasscode, !enclave.isDisabled, [.locked, .beforeFirstUnlock].contains(enclave.lockState) else {
            return false
        }
        StandardError.write("The device is locked. Its passcode unlocks it; Ctrl-C leaves it locked.\n")
        for _ in 0..<Self.tries {
            do throws(CommandFailure) {
                try ask(UnlockDevice(SecretSource().passcode()))
                if socketPath != nil { StandardError.write("The device is unlocked. `latchkey lock` locks it.\n") }
                return true
            } catch {
                StandardError.write(error.text)
                guard error.status == .wrongPasscode else { return false }
            }
        }
        return false
    }

    /// True if the user can be prompted on the terminal and can answer: a background job that reads the terminal is
    /// stopped.
    private static var isInFront: Bool {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return false }
        let group = tcgetpgrp(STDIN_FILENO)
        return group < 0 || group == getpgrp()
    }
}
