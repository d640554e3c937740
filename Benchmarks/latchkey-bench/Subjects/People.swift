import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// Gives the passcode at once.
struct KnowingPerson: PromptPort {
    let passcode: String

    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        switch prompt.kind {
        case .passcode: .secret(SecretBox(copying: Array(passcode.utf8)))
        case .finger, .applicationPassword: .fallback
        }
    }
}

/// Looks at what is shown until it is taken away: the finger is at the reader.
struct WaitingPerson: PromptPort {
    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        cancellation.wait()
        return cancellation.isCancelled ? .withdrawn : .timedOut
    }
}
