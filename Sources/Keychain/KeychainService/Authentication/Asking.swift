import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// On whose behalf a person may be asked during one call, how, and where the proof goes.
struct Asking: Sendable {
    let caller: Caller
    let context: EnclaveContext
    let interaction: Interaction
    /// The session whose end cancels a prompt; nil if no end cancels it.
    let session: ServiceSession?
    /// The item that the proof is for; nil where there is no item.
    var item: ItemName?

    /// Runs a wait that the session's end, or the program's, cancels.
    func whileAsking<R>(_ cancellation: Cancellation, _ body: () -> R) -> R {
        session?.whileAsking(cancellation, body) ?? body()
    }

    /// A passcode that the program gave to the context that is asked for: not to another one of its connection.
    var hasGivenPasscode: Bool { session?.context === context && session?.hasPasscode == true }

    func takeGivenPasscode() -> SecretBox? { session?.context === context ? session?.takePasscode() : nil }

    /// Whether it was the program that ended a wait.
    var isCancelledByProgram: Bool { session?.isOver ?? false }
}
