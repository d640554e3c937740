import Glibc
import LatchkeyPlainText

/// Lines of a daemon on its standard error: one line, one event, never a secret. Paths of programs are quoted in them, so
/// everything that could break or forge a line is escaped here.
package struct ProgramLog: Sendable {
    private let program: String

    package init(program: String) {
        self.program = program
    }

    package func write(_ line: String) {
        // One call, so that the lines of two processes with one log do not mix.
        let bytes = Array((text(line) + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// An event as its one line, without the line's end.
    package func text(_ line: String) -> String { "\(program): \(PlainText.escaped(line))" }

    /// Writes a last line, then the usage if the arguments were wrong, and ends the process as failed.
    package func fail(_ line: String, usage: String = "") -> Never {
        write(line)
        for part in usage.split(separator: "\n") { write(String(part)) }
        exit(EXIT_FAILURE)
    }
}
