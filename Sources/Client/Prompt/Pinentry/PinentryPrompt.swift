package import LatchkeyKeychainMessages
import LatchkeySecretMemory
package import LatchkeyThreading

/// A prompt through a pinentry: the program with which GnuPG asks for passphrases, in the style of the person's
/// desktop.
package struct PinentryPrompt: PromptPort {
    private let program: String
    private let arguments: [String]
    private let environment: [String: String]
    private let terminal: String?

    /// - Parameters:
    ///   - program: the path of its executable.
    ///   - environment: passed on to it, and decides whether there is a display.
    ///   - terminal: for a pinentry that has no window.
    package init(
        program: String, arguments: [String] = [], environment: [String: String] = [:], terminal: String? = nil
    ) {
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.terminal = terminal
    }

    package func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        guard !cancellation.isOver else { return cancellation.isCancelled ? .withdrawn : .timedOut }
        let process: PinentryProcess
        let descriptor: Int32
        do throws(PinentryStartFailure) {
            (process, descriptor) = try PinentryProcess.start(program, arguments, environment: environment)
        } catch {
            return .failed(reason: "\(program) cannot be started: \(error). Install a pinentry.")
        }
        // Restored at the end, also if the pinentry had no time to do so.
        let screen = terminal.flatMap { Terminal(path: $0) }
        defer { screen?.restore() }
        guard let conversation = AssuanConversation(descriptor: descriptor, until: cancellation) else {
            return .failed(reason: "There is no memory left for an answer.")
        }
        let dialogue = PinentryDialogue(
            conversation: conversation, environment: environment, terminal: screen == nil ? nil : terminal)
        do throws(AssuanFailure) {
            let answer = try dialogue.ask(prompt, secondsLeft: cancellation.secondsLeft)
            conversation.end()
            process.leave()
            return answer
        } catch {
            conversation.end()
            process.takeAway()
            return answer(error, cancellation)
        }
    }

    private func answer(_ failure: AssuanFailure, _ cancellation: Cancellation) -> PromptAnswer {
        let what: String
        switch failure {
        case .over: return cancellation.isCancelled ? .withdrawn : .timedOut
        case .silent: what = "does not answer"
        case .closed: what = "ended before there was an answer"
        case .lineTooLong: what = "sends a line of more than \(AssuanConversation.lineLimit) bytes"
        case .tooManyLines: what = "sends lines without end"
        case .dataTooLong: what = "answers with more than \(AssuanConversation.dataLimit) bytes"
        case .badEncoding: what = "sends a percent sign without two hexadecimal digits"
        case .unexpectedLine: what = "sends a line that the protocol does not have"
        case .system(let number): what = "cannot be talked to (error \(number))"
        }
        return .failed(reason: "\(program) \(what). Name another pinentry in LATCHKEY_PINENTRY, or use a terminal.")
    }
}
