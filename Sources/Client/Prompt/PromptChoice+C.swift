import Glibc
package import LatchkeyKeychainMessages
import LatchkeyPlainText

/// The possible kinds of prompts, the best first.
package struct PromptChoice: Sendable {
    package let ports: [any PromptPort]
    package let description: String

    /// - Parameters:
    ///   - environment: of the process.
    ///   - terminal: the terminal of this process; there may be none.
    ///   - isSetgid: a program with a group that its user did not give it ignores programs that its environment names.
    package init(
        environment: [String: String], terminal: TerminalPrompt = TerminalPrompt(),
        isSetgid: Bool = getegid() != getgid()
    ) {
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(environment[$0] ?? "").isEmpty }
        let named = environment[SystemPrompt.pinentryVariable].flatMap { $0.isEmpty ? nil : $0 }
        let program = isSetgid ? nil : Self.find(named ?? "pinentry", environment: environment)
        let screen = environment["GPG_TTY"].flatMap { PathText.isAbsolute($0) ? $0 : nil }
        let pinentry = program.map { program in
            PinentryPrompt(
                program: program, environment: environment, terminal: screen ?? (terminal.isThere ? terminal.path : nil)
            )
        }
        if let named, let program, let pinentry {
            (ports, description) = ([pinentry], "with \(program) (\(SystemPrompt.pinentryVariable) is \(named))")
        } else if hasDisplay, let program, let pinentry {
            ports = terminal.isThere ? [pinentry, terminal] : [pinentry]
            description = "with \(program), in a window"
        } else if terminal.isThere {
            (ports, description) = ([terminal], "on the terminal")
        } else if let screen, let program, let pinentry {
            (ports, description) = ([pinentry], "with \(program), on \(screen)")
        } else {
            (ports, description) = ([], "not possible: there is neither a terminal nor a display with a pinentry")
        }
    }

    /// True if a person can be asked at all.
    package var isAny: Bool { !ports.isEmpty }

    /// Finds a program by its path, or on the search path.
    private static func find(_ name: String, environment: [String: String]) -> String? {
        guard !name.utf8.contains(UInt8(ascii: "/")) else { return unsafe access(name, X_OK) == 0 ? name : nil }
        let directories = (environment["PATH"] ?? "/usr/bin:/bin").utf8.split(separator: UInt8(ascii: ":")).map {
            String(decoding: $0, as: UTF8.self)
        }
        return directories.filter { PathText.isAbsolute($0) }.map { $0 + "/" + name }.first {
            unsafe access($0, X_OK) == 0
        }
    }
}
