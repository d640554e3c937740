import Glibc
package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// A prompt for one line on a terminal without echo, in a program that has nothing else to do.
///
/// While echo is off, the signals that would end or stop the program are read from a descriptor instead, so that the
/// terminal is always restored before they take effect.
package struct TerminalEntry {
    private let terminal: Int32
    private let output: Int32

    /// Nil if the descriptor is not a terminal.
    ///
    /// - Parameter output: shows the prompt. Standard error: the terminal may be open for reading only.
    package init?(descriptor: Int32, output: Int32 = STDERR_FILENO) {
        guard isatty(descriptor) == 1 else { return nil }
        self.terminal = descriptor
        self.output = output
    }

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// Returns the line that the person types, without its end.
    package func secret(prompt: String) throws(InputFailure) -> SecretBox {
        var watched = sigset_t()
        unsafe sigemptyset(&watched)
        for signal in Self.signals { unsafe sigaddset(&watched, signal) }
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &watched, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let signalSource = unsafe lk_signalfd(&watched)
        guard signalSource >= 0 else { throw .cannotRead(errno: -signalSource) }
        defer { close(signalSource) }

        while true {
            let echo = try silence()
            write(prompt)
            let signal = waitForLineOrSignal(signalSource)
            if signal == 0 {
                defer { restore(echo) }
                let line = try SecretReader.line(from: terminal)
                write("\n")
                return line
            }
            restore(echo)
            write("\n")
            deliver(signal, unblocking: watched)
            guard signal == SIGTSTP else { throw .interrupted }
        }
    }

    /// Turns echo off and returns the settings to restore.
    private func silence() throws(InputFailure) -> termios {
        var settings = termios()
        guard unsafe tcgetattr(terminal, &settings) == 0 else { throw .cannotRead(errno: errno) }
        let before = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        settings.c_lflag |= tcflag_t(ICANON | ISIG)
        guard unsafe tcsetattr(terminal, TCSAFLUSH, &settings) == 0 else { throw .cannotRead(errno: errno) }
        return before
    }

    private func restore(_ settings: termios) {
        var settings = settings
        unsafe tcsetattr(terminal, TCSAFLUSH, &settings)
    }

    /// Returns 0 when the terminal has a line, else the number of the signal that came first.
    private func waitForLineOrSignal(_ signalSource: Int32) -> Int32 {
        while true {
            var sources = [
                pollfd(fd: signalSource, events: Int16(POLLIN), revents: 0),
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&sources, 2, -1) > 0 else { continue }
            if sources[0].revents != 0 {
                let signal = lk_signalfd_read(signalSource)
                if signal > 0 { return signal }
            }
            if sources[1].revents != 0 { return 0 }
        }
    }

    /// Lets a signal take effect, now that the terminal is restored.
    private func deliver(_ signal: Int32, unblocking watched: sigset_t) {
        var watched = watched
        raise(signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &watched, nil)
        unsafe pthread_sigmask(SIG_BLOCK, &watched, nil)
    }

    private func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(output, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return }
        }
    }
}
