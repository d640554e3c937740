import Glibc

/// Lines of a daemon on its standard error: one line, one event, never a secret.
package struct ProgramLog: Sendable {
    private let program: String

    package init(program: String) {
        self.program = program
    }

    package func write(_ line: String) {
        // One call, so that the lines of two processes with one log do not mix.
        let bytes = Array("\(program): \(line)\n".utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Writes a last line and ends the process as failed.
    package func fail(_ line: String) -> Never {
        write(line)
        exit(EXIT_FAILURE)
    }
}
