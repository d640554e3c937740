import Glibc
package import LatchkeyPrompt
package import LatchkeySecretMemory

/// Where a command's secrets come from: a terminal without echo, standard input, or a descriptor. Never arguments.
package struct SecretSource: Sendable {
    package let passcodeDescriptor: Int32?
    package let secretDescriptor: Int32?

    package init(passcodeDescriptor: Int32? = nil, secretDescriptor: Int32? = nil) {
        self.passcodeDescriptor = passcodeDescriptor
        self.secretDescriptor = secretDescriptor
    }

    /// The device passcode: a line of the descriptor, of the terminal, or of standard input.
    package func passcode(prompt: String = "Device passcode: ") throws(CommandFailure) -> SecretBox {
        let descriptor = passcodeDescriptor ?? STDIN_FILENO
        return try Self.explaining("passcode") { () throws(InputFailure) in
            if let terminal = TerminalEntry(descriptor: descriptor) { return try terminal.secret(prompt: prompt) }
            return try SecretReader.line(from: descriptor)
        }
    }

    /// A new passcode: on a terminal it is asked for twice.
    package func newPasscode() throws(CommandFailure) -> SecretBox {
        let first = try passcode(prompt: "New passcode: ")
        guard TerminalEntry(descriptor: passcodeDescriptor ?? STDIN_FILENO) != nil else { return first }
        let second = try passcode(prompt: "New passcode again: ")
        return try Self.explaining("passcode") { () throws(InputFailure) in
            guard first.equals(second) else { throw .entriesDiffer }
            return first
        }
    }

    /// The form in which the bytes of a new secret are given.
    package enum SecretForm: Sendable {
        /// The line end of one line of text does not belong to it.
        case text
        /// Every byte of the input belongs to it.
        case exact
        case hexadecimal
    }

    /// The new secret of an item: all of the descriptor or of standard input, or one line of the terminal, which is asked
    /// for twice. An empty one is refused: it is more likely the output of a command that failed than a secret.
    package func newSecret(_ form: SecretForm = .text) throws(CommandFailure) -> SecretBox {
        let descriptor = secretDescriptor ?? STDIN_FILENO
        let secret = try Self.explaining("secret") { () throws(InputFailure) in
            let input: SecretBox
            if let terminal = TerminalEntry(descriptor: descriptor) {
                input = try Self.typed(terminal, prompt: form == .hexadecimal ? "Secret in hexadecimal" : "Secret")
            } else {
                input = try SecretReader.everything(from: descriptor, limit: SecretReader.secretLimit)
            }
            switch form {
            case .text: return SecretText.withoutLineEnd(input)
            case .exact: return input
            case .hexadecimal: return try input.decodedHexadecimal()
            }
        }
        guard secret.count > 0 else { throw .emptySecret }
        return secret
    }

    /// Reads a secret that the user types twice.
    private static func typed(_ terminal: TerminalEntry, prompt: String) throws(InputFailure) -> SecretBox {
        let first = try terminal.secret(prompt: prompt + ": ")
        guard first.count > 0 else { return first }
        let second = try terminal.secret(prompt: prompt + " again: ")
        guard first.equals(second) else { throw .entriesDiffer }
        return first
    }

    private static func explaining(
        _ thing: String, _ body: () throws(InputFailure) -> SecretBox
    ) throws(CommandFailure) -> SecretBox {
        do {
            return try body()
        } catch {
            throw CommandFailure(error, reading: thing)
        }
    }
}

extension CommandFailure {
    /// A secret that could not be read; `thing` is what it was to be.
    package init(_ failure: InputFailure, reading thing: String) {
        let advice = "Type it at the prompt, pipe it in, or name an open descriptor."
        switch failure {
        case .cannotRead(let number):
            self.init(
                .secretUnreadable, "The \(thing) could not be read.", why: SystemError.text(number), advice: advice)
        case .ended:
            self.init(.secretUnreadable, "There is no \(thing).", why: "The input is empty.", advice: advice)
        case .tooLong(let limit):
            self.init(.secretUnreadable, "The \(thing) is longer than \(limit) bytes.", why: "That is the limit.")
        case .interrupted:
            self.init(.interrupted, "Interrupted while asking for the \(thing).")
        case .notHexadecimal:
            self.init(
                .secretUnreadable, "The \(thing) is not hexadecimal.",
                why: "Expected: pairs of the digits 0 to 9 and a to f.")
        case .entriesDiffer:
            self.init(.secretUnreadable, "The two entries differ.", advice: "Run the command again.")
        }
    }

    /// Nothing was given where a secret is wanted.
    package static var emptySecret: CommandFailure {
        CommandFailure(
            .secretUnreadable, "There is no secret, and nothing was changed.", why: "The input is empty.",
            advice:
                "Type it at the prompt, pipe it in, or name an open descriptor. An item without a secret is made by "
                + "`latchkey item add --without-secret`.")
    }

    /// A secret in the arguments, with the ways to give it instead.
    ///
    /// - Parameter descriptor: the command's option for it; nil where the command asks for none.
    package static func secretInArguments(what: String, descriptor: String? = "--secret-fd") -> CommandFailure {
        let ways =
            descriptor.map {
                "it is asked for without echo, or read from standard input, or from a descriptor with \($0) N."
            } ?? "this command asks for none."
        return CommandFailure(
            .secretInArguments, what,
            why: "Arguments are visible to every process of the machine and stay in the shell's history.",
            advice: "Leave the value out: \(ways) If it was a real one, change it.")
    }
}
