import Glibc
package import LatchkeyKeychainMessages
import LatchkeySecretMemory
package import LatchkeyThreading

/// A prompt on a terminal, without echo.
package struct TerminalPrompt: PromptPort {
    package static let secretLimit = 1024
    private static let roundLimit = 3

    private static let lookSeconds = 0.2

    package let path: String
    private let waitsForFront: Bool

    /// - Parameters:
    ///   - path: nil: the terminal of this process.
    ///   - waitsForFront: true for a program that, in the background of its terminal, says that a prompt waits
    ///     and waits to be brought to the front. Else the prompt fails there.
    package init(path: String? = nil, waitsForFront: Bool = false) {
        self.path = path ?? Terminal.ofThisProcess
        self.waitsForFront = waitsForFront
    }

    /// True if there is a terminal to ask on.
    package var isThere: Bool { Terminal(path: path) != nil }

    package func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        guard let terminal = Terminal(path: path) else {
            return .failed(
                reason: "There is no terminal to ask on (\(path)). Run the program, or `latchkey agent`, in one.")
        }
        if waitsForFront, !terminal.isOurs {
            let name = ProgramWords.quoted(prompt.program, limit: 200)
            terminal.write("\nlatchkey: \(name) asks for you. Bring this agent to the front to answer: fg\n")
            while !terminal.isOurs, !cancellation.isOver { cancellation.wait(atMost: Self.lookSeconds) }
            guard !cancellation.isOver else { return Self.answer(.over, cancellation) }
        }
        guard terminal.isOurs else {
            return .failed(reason: "The program is in the background of its terminal. Bring it to the front (fg).")
        }
        guard terminal.silence() else { return .failed(reason: "The echo of the terminal cannot be turned off.") }
        let words = PromptWords(prompt)
        terminal.write("\n" + words.text + "\n")
        if let notice = words.notice { terminal.write("*** \(notice)\n") }
        guard prompt.kind != .finger else { return finger(words, on: terminal, until: cancellation) }
        return secret(words, prompt.kind, on: terminal, until: cancellation)
    }

    private func finger(_ words: PromptWords, on terminal: Terminal, until cancellation: Cancellation) -> PromptAnswer {
        let cancel = words.cancel == "Cancel" ? "Ctrl-C cancels" : "Ctrl-C: \"\(words.cancel)\""
        switch words.fallback {
        case nil: terminal.write("(\(cancel))")
        case "Use passcode": terminal.write("(Return: use the passcode instead. \(cancel))")
        case let other?: terminal.write("(Return: \"\(other)\". \(cancel))")
        }
        defer { terminal.write("\n") }
        while true {
            var entry = Terminal.Entry.over
            _ = unsafe SecretBox(count: 1) { entry = unsafe terminal.line(into: $0, until: cancellation).0 }
            guard entry == .line else { return Self.answer(entry, cancellation) }
            if words.fallback != nil { return .fallback }
        }
    }

    private func secret(
        _ words: PromptWords, _ kind: Prompt.Kind, on terminal: Terminal, until cancellation: Cancellation
    ) -> PromptAnswer {
        for _ in 0..<Self.roundLimit {
            let first = entry(words.label, on: terminal, until: cancellation)
            guard case .secret(let secret) = first, kind == .applicationPassword(isNew: true) else { return first }
            let second = entry(words.repeatLabel, on: terminal, until: cancellation)
            guard case .secret(let repeated) = second else { return second }
            if secret.equals(repeated) { return first }
            terminal.write("*** The two entries differ.\n")
        }
        return .failed(reason: "The two entries of the new password differed \(Self.roundLimit) times.")
    }

    private func entry(_ label: String, on terminal: Terminal, until cancellation: Cancellation) -> PromptAnswer {
        terminal.write(label)
        defer { terminal.write("\n") }
        var (entry, count) = (Terminal.Entry.over, 0)
        let room = unsafe SecretBox(count: Self.secretLimit + 1) { room in
            (entry, count) = unsafe terminal.line(into: room, until: cancellation)
        }
        guard entry == .line else { return Self.answer(entry, cancellation) }
        guard count <= Self.secretLimit else {
            return .failed(reason: "The input is longer than \(Self.secretLimit) bytes.")
        }
        return .secret(room.prefix(count))
    }

    private static func answer(_ entry: Terminal.Entry, _ cancellation: Cancellation) -> PromptAnswer {
        switch entry {
        case .line, .cancelled: .cancelled
        case .over: cancellation.isCancelled ? .withdrawn : .timedOut
        case .hungUp: .failed(reason: "The terminal was closed.")
        }
    }
}
