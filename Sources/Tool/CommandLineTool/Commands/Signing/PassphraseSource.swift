import Glibc
import LatchkeyPrompt
package import LatchkeySecretMemory

/// Where the passphrase of a key or a file comes from: a terminal without echo, standard input, or a descriptor.
package struct PassphraseSource: Sendable {
    private let descriptor: Int32

    package init(descriptor: Int32?) {
        self.descriptor = descriptor ?? STDIN_FILENO
    }

    /// The passphrase of what has one.
    package func passphrase(for name: String) throws(CommandFailure) -> SecretBox {
        try line(prompt: "Passphrase of \(name): ")
    }

    /// The passphrase of something new: on a terminal it is asked for twice.
    package func newPassphrase(for thing: String = "the team's key") throws(CommandFailure) -> SecretBox {
        let isTerminal = isatty(descriptor) == 1
        let first: SecretBox
        do {
            first = try line(prompt: "New passphrase for \(thing): ")
        } catch {
            guard error.status == .secretUnreadable else { throw error }
            throw CommandFailure(error.status, error.what, why: error.why, advice: Self.withoutAdvice)
        }
        guard first.count > 0 else {
            throw CommandFailure(
                .secretUnreadable, "The passphrase is empty.", why: "It would protect nothing.",
                advice: Self.withoutAdvice)
        }
        guard isTerminal else { return first }
        guard try first.equals(line(prompt: "The same again: ")) else {
            throw CommandFailure(.entriesDiffer, reading: "passphrase")
        }
        return first
    }

    private static let withoutAdvice =
        "Type one, pipe it in, or name an open descriptor with --passphrase-fd. --no-passphrase "
        + "leaves it unencrypted."

    private func line(prompt: String) throws(CommandFailure) -> SecretBox {
        do throws(InputFailure) {
            if let terminal = TerminalEntry(descriptor: descriptor) { return try terminal.secret(prompt: prompt) }
            return try SecretReader.line(from: descriptor)
        } catch {
            throw CommandFailure(error, reading: "passphrase")
        }
    }
}
