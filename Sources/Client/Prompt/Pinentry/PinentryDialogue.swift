import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The commands for a pinentry, and the meaning of its replies.
struct PinentryDialogue {
    private static let roundLimit = 3

    let conversation: AssuanConversation
    let environment: [String: String]
    /// A terminal that can be opened, for a pinentry without a window.
    let terminal: String?

    func ask(_ prompt: Prompt, secondsLeft: Double?) throws(AssuanFailure) -> PromptAnswer {
        _ = try conversation.answer(to: nil)
        for option in options { _ = try conversation.answer(to: "OPTION " + option) }
        // Without a terminal, a pinentry for terminals reports that the person cancelled.
        if terminal == nil, try isForTerminals() {
            return .failed(
                reason: "The pinentry needs a terminal and there is none. Install one with windows, "
                    + "or run `latchkey agent` in a terminal.")
        }
        let words = PromptWords(prompt)
        if let secondsLeft { try say("SETTIMEOUT", String(max(1, Int(min(secondsLeft, 86_400).rounded(.up))))) }
        try say("SETTITLE", PromptWords.title)
        try say("SETDESC", words.text)
        if let notice = words.notice { try say("SETERROR", notice) }
        try say("SETCANCEL", words.cancel)
        switch prompt.kind {
        case .finger: return try confirm(words)
        case .passcode, .applicationPassword(isNew: false): return try secret(words)
        case .applicationPassword(isNew: true): return try newSecret(words)
        }
    }

    private var options: [String] {
        let kind = environment["LC_ALL"] ?? environment["LC_CTYPE"] ?? environment["LANG"]
        var options = ["lc-ctype=" + (kind ?? "C.UTF-8")]
        if let terminal { options += ["ttyname=" + terminal, "ttytype=" + (environment["TERM"] ?? "dumb")] }
        if let display = environment["DISPLAY"], !display.isEmpty { options.append("display=" + display) }
        return options.filter { $0.utf8.count <= 200 && !$0.contains { $0.isNewline || $0 == "%" } }
    }

    private var hasDisplay: Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
    }

    private func isForTerminals() throws(AssuanFailure) -> Bool {
        guard try conversation.answer(to: "GETINFO flavor").error == nil else { return !hasDisplay }
        let flavor = conversation.text()
        return ["tty", "curses"].contains { flavor.contains($0) }
    }

    /// Sends a text. A pinentry that does not know the command does without it.
    private func say(_ command: String, _ text: String) throws(AssuanFailure) {
        _ = try conversation.answer(to: command + " " + AssuanText.encoded(text))
    }

    private func confirm(_ words: PromptWords) throws(AssuanFailure) -> PromptAnswer {
        guard let fallback = words.fallback else {
            try say("SETOK", words.cancel)
            let reply = try conversation.answer(to: "CONFIRM --one-button", asksPerson: true)
            return reply.error.map(Self.answer) ?? .cancelled
        }
        try say("SETOK", fallback)
        let reply = try conversation.answer(to: "CONFIRM", asksPerson: true)
        return reply.error.map(Self.answer) ?? .fallback
    }

    private func secret(_ words: PromptWords) throws(AssuanFailure) -> PromptAnswer {
        try say("SETPROMPT", Self.label(words.label))
        return try typed().answer
    }

    private func newSecret(_ words: PromptWords) throws(AssuanFailure) -> PromptAnswer {
        try say("SETREPEATERROR", "The two entries differ.")
        for _ in 0..<Self.roundLimit {
            try say("SETPROMPT", Self.label(words.label))
            try say("SETREPEAT", Self.label(words.repeatLabel))
            let (first, isRepeated) = try typed()
            guard case .secret(let secret) = first, !isRepeated else { return first }
            // This pinentry does not ask twice by itself.
            try say("SETPROMPT", Self.label(words.repeatLabel))
            let second = try typed().answer
            guard case .secret(let repeated) = second else { return second }
            if secret.equals(repeated) { return first }
            try say("SETERROR", "The two entries differ.")
        }
        return .failed(reason: "The two entries of the new password differed \(Self.roundLimit) times.")
    }

    /// Makes a label. Pinentries add the space behind it themselves, and a second colon behind a space.
    private static func label(_ text: String) -> String {
        text.last == " " ? String(text.dropLast()) : text
    }

    private func typed() throws(AssuanFailure) -> (answer: PromptAnswer, isRepeated: Bool) {
        let reply = try conversation.answer(to: "GETPIN", asksPerson: true)
        if let error = reply.error { return (Self.answer(error), false) }
        defer { conversation.forgetData() }
        return (.secret(conversation.secret()), reply.statuses.contains("PIN_REPEATED"))
    }

    private static func answer(_ error: UInt32) -> PromptAnswer {
        switch error {
        case AssuanLine.cancelled, AssuanLine.fullyCancelled, AssuanLine.notConfirmed: .cancelled
        case AssuanLine.timedOut: .timedOut
        default: .failed(reason: "The pinentry could not ask (its error \(error)).")
        }
    }
}
