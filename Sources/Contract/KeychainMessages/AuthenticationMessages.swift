package import LatchkeyAccessControl
package import LatchkeyEnclaveCore
package import LatchkeySecretMemory

/// How a program wants a person to be asked.
package struct Interaction: Sendable, Hashable {
    /// False: whatever needs a person fails instead (`interactionNotAllowed`).
    package var isAllowed: Bool
    package var reason: String
    /// Nil: the usual words.
    package var cancelTitle: String?
    package var fallbackTitle: String?
    /// How long an unlock of the device by finger counts, 0 to 300 seconds.
    package var reuseSeconds: Double

    package init(
        isAllowed: Bool = true, reason: String = "", cancelTitle: String? = nil, fallbackTitle: String? = nil,
        reuseSeconds: Double = 0
    ) {
        self.isAllowed = isAllowed
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.reuseSeconds = reuseSeconds
    }
}

/// What an `LAContext` asks.
package enum AuthenticationRequest: Sendable {
    /// Whether evaluating could succeed now; asks nobody.
    case check(AuthenticationPolicy)
    case evaluate(AuthenticationPolicy, Interaction)
    /// Whether an item or key with this access control could be used so.
    case evaluateAccessControl(AccessControl, operation: GuardedOperation, Interaction)
    /// Nil takes it back.
    case setApplicationPassword(SecretBox?)
    /// Only for programs that may: those whose entitlements say so, and the owner's tool. Used for the next evaluation
    /// that asks for the passcode, in place of a prompt.
    case setPasscode(SecretBox?)
    /// Kind and state of the sensor.
    case biometry
}

package enum AuthenticationReply: Sendable {
    /// `domainState` changes whenever the enrolled fingers do; nil where no biometry took part.
    case done(domainState: [UInt8]?)
    case biometry(BiometryStatus, domainState: [UInt8]?)
    case failed(AuthenticationError, Refusal)
}

/// Why an authentication failed, by the numbers of `LAError.Code`.
package enum AuthenticationError: Int64, Error, Sendable, Hashable, CaseIterable {
    case authenticationFailed = -1
    case userCancel = -2
    case userFallback = -3
    case systemCancel = -4
    case passcodeNotSet = -5
    case biometryNotAvailable = -6
    case biometryNotEnrolled = -7
    case biometryLockout = -8
    case appCancel = -9
    case invalidContext = -10
    case companionNotAvailable = -11
    case biometryNotPaired = -12
    case biometryDisconnected = -13
    case invalidDimensions = -14
    case notInteractive = -1004
}

/// One `LAContext` at its keychain: keeps what the person proved until it ends.
package protocol AuthenticationSession: Sendable {
    /// Blocks as long as a person is asked.
    func perform(_ request: AuthenticationRequest) -> AuthenticationReply
    /// What to run later, on another thread, in place of ``perform(_:)``. Does not block. A requirement, so that a session
    /// may look at who calls while it is the caller's thread.
    func prepared(_ request: AuthenticationRequest) -> @Sendable () -> AuthenticationReply
    /// An item call that may use the session's evidence, and adds to it.
    func perform(_ request: ItemRequest) -> ItemReply
    /// The same for the use of a key.
    func perform(_ request: KeyRequest) -> KeyReply
    /// Forgets everything. A call that is under way ends with ``AuthenticationError/appCancel``.
    func end()
}

extension AuthenticationSession {
    package func prepared(_ request: AuthenticationRequest) -> @Sendable () -> AuthenticationReply {
        { perform(request) }
    }
}

/// What an agent, which shows prompts for a device, says to it. An agent has two connections: one for prompts and one on
/// which it hears that a prompt is over.
package enum AgentRequest: Sendable {
    /// Makes this connection an agent that prompts go to. Answered with ``AgentReply/done``; without it `nextPrompt` gives
    /// nothing. A connection that only waits for ends does not register.
    case register
    /// The next prompt for this agent; nothing after some seconds.
    case nextPrompt
    case answer(PromptIdentifier, PromptAnswer)
    /// Answers when the prompt is over, and after some seconds if it is not.
    case waitForEnd(PromptIdentifier)
}

package enum AgentReply: Sendable {
    case nothing
    /// `seconds` until the prompt is over by itself; nil: never.
    case prompt(PromptIdentifier, Prompt, seconds: Double?)
    case isOver(Bool)
    case done
    /// The program may not be an agent.
    case refused(Refusal)
}

package struct PromptIdentifier: Sendable, Hashable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}
