/// A prompt that the script of the test has no answer for.
public struct UnansweredPrompt: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case finger
        case passcode
        case applicationPassword
    }

    public let kind: Kind
    /// The program that prompted, as the prompt names it.
    public let program: String
    /// The reason, in the words of the app.
    public let reason: String
    /// The next answer of the script, which does not fit this prompt; nil: the script has no answers left.
    public let nextAnswer: ScriptedAnswer?
    /// The call that needed the prompt; nil while it is under way.
    public let call: KeychainCall?
    /// The name of the function that the app called for it: `SecKeyRawSign` where ``call`` is `createSignature`.
    public let function: String?
    /// Where the app's code made it; nil if that cannot be found out, as for `await evaluatePolicy`, whose caller is not
    /// on the stack.
    public let callSite: CallSite?

    public var description: String {
        let place = callSite.map { "\($0): " } ?? ""
        let wanted =
            switch kind {
            case .finger: "a finger"
            case .passcode: "the passcode"
            case .applicationPassword: "the application password"
            }
        let words = reason.isEmpty ? "without a reason" : "“\(reason)”"
        let script =
            nextAnswer.map { "the next answer of the script is \($0.name)" } ?? "the script has no answer left"
        return "\(place)\(function ?? "a call") by \(program) asked for \(wanted), \(words), and \(script). "
            + "Write device.script(…) before the call."
    }
}
