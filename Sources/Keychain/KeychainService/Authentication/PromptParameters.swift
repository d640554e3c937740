import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// The parameters of prompts during one call: the caller, the kind of interaction, and the context for the evidence.
struct PromptParameters: Sendable {
    let caller: Caller
    let context: EnclaveContext
    let interaction: Interaction
    /// The session whose end cancels a prompt; nil if there is none.
    let session: ServiceSession?
    /// The item that requires the authentication; nil if there is none.
    var item: ItemName?

    /// Runs a wait that is cancelled when the session or the program ends.
    func whileAsking<R>(_ cancellation: Cancellation, _ body: () -> R) -> R {
        session?.whileAsking(cancellation, body) ?? body()
    }

    /// True if the program gave a passcode to this context, and not to another one of its connection.
    var hasGivenPasscode: Bool { session?.context === context && session?.hasPasscode == true }

    func takeGivenPasscode() -> SecretBox? { session?.context === context ? session?.takePasscode() : nil }

    /// True if the program ended a wait.
    var isCancelledByProgram: Bool { session?.isOver ?? false }
}
