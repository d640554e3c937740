package import ArgumentParser
import Foundation
import Glibc
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeyThreading

/// `latchkey agent`.
package struct AgentCommand: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Show the prompts of programs at this terminal or desktop, until it is ended.",
        discussion: """
            With a desktop (DISPLAY or WAYLAND_DISPLAY) it asks in a window of pinentry, else on the terminal it runs \
            in. LATCHKEY_PINENTRY names another pinentry. Ctrl-C at a prompt refuses; elsewhere it ends the agent. In the \
            background of a terminal (latchkey agent &) it says when it is needed, and asks once it is in front (fg).
            """)

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        guard let socketPath = try DeviceAccess(common).socketPath else {
            throw CommandFailure(
                .deviceUnreachable, "No daemon runs that could need prompts.",
                why: "Without one, a device exists only inside each process that uses it.",
                advice: "`latchkey start`, then `latchkey agent`.")
        }
        let environment = ProcessInfo.processInfo.environment
        let choice = PromptChoice(environment: environment, terminal: TerminalPrompt(waitsForFront: true))
        guard choice.isAny else {
            throw CommandFailure(
                .noPrompt, "No prompt can be shown here.",
                why: "There is neither a terminal nor a display with a pinentry.",
                advice: "Run it in a terminal, or install a pinentry for your desktop.")
        }
        let prompt = SystemPrompt(choice)
        // A background job is not stopped when it writes to the terminal, nor ended when its output has no reader.
        for signal in [SIGPIPE, SIGTTIN, SIGTTOU] { _ = Glibc.signal(signal, SIG_IGN) }
        let service = AgentService(socketPath: socketPath, port: prompt) { line in
            StandardError.write("latchkey: \(line)\n")
        }
        let unread = Cancellation()
        OutputWatch.whenClosed {
            unread.cancel()
            service.stop()
        }
        let watch = InterruptWatch { signal in
            if signal == SIGINT, prompt.interrupt() { return true }
            // Takes a prompt away, too.
            service.stop()
            return true
        }
        defer { watch?.stop() }
        StandardError.write("latchkey: asking \(choice.description). Ctrl-C ends it.\n")
        if let refusal = service.run() {
            throw CommandFailure(
                .accessGroupRefused, "The device does not let this program show prompts.", why: refusal.reason,
                advice: refusal.advice)
        }
        return unread.isCancelled ? Report("", json: .null) : .done("The agent has ended.")
    }
}
