import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The destination of questions about a key: the keychain that it was made in or found in, or the authentication
/// context that the program passed then, and its options about prompts.
///
/// Sendable because a context may be used from any thread, and everything else is immutable.
package struct KeyConnection: @unchecked Sendable {
    package enum Destination {
        case keychain(any Keychain)
        case context(any AuthenticationContextObject)
    }

    private let destination: Destination
    /// `kSecUseOperationPrompt`.
    private let prompt: String
    /// False with `kSecUseAuthenticationUIFail` and its like.
    private let mayAsk: Bool

    package init(_ destination: Destination, prompt: String = "", mayAsk: Bool = true) {
        self.destination = destination
        self.prompt = prompt
        self.mayAsk = mayAsk
    }

    /// By what a query says of asking; what makes no sense there is refused elsewhere.
    init(_ destination: Destination, query: [QueryPair]) {
        var prompt = ""
        var mayAsk = true
        for pair in query {
            switch (pair.key, pair.value) {
            case (.string("u_OpPrompt"), .string(let text)): prompt = text
            case (.string("u_NoAuthUI"), .boolean(true)): mayAsk = false
            case (.string("u_AuthUI"), .string(let choice)) where choice != "u_AuthUIA": mayAsk = false
            default: continue
            }
        }
        self.init(destination, prompt: prompt, mayAsk: mayAsk)
    }

    /// Blocks while a prompt is shown.
    ///
    /// - Parameter question: made with the options of the prompt; nil for the defaults.
    package func ask<Question: KeyQuestion>(
        _ question: (Interaction?) -> Question
    ) throws(EnclaveKeyRefusal) -> Question.Answer {
        switch destination {
        case .keychain(let keychain):
            let isUsual = mayAsk && prompt.isEmpty
            return try keychain.ask(question(isUsual ? nil : Interaction(isAllowed: mayAsk, reason: prompt)))
        case .context(let context):
            // The context's settings at the time of the call.
            var interaction = context.interaction
            if interaction.reason.isEmpty { interaction.reason = prompt }
            if !mayAsk { interaction.isAllowed = false }
            return try context.authenticationSession.ask(question(interaction))
        }
    }
}
