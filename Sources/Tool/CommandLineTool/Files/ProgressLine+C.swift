import Glibc

/// Shows progress on standard error, if that is a terminal: one line, written over again and again, gone in the end.
package final class ProgressLine {
    /// Several times a second is as often as anybody can read it.
    private static let interval = 0.1

    private var progress: Progress
    private var began = 0.0
    private var shown = 0.0
    /// The number of columns of the line on the screen.
    private var width = 0

    /// Nil if no user would see it.
    package init?(isQuiet: Bool) {
        guard !isQuiet, isatty(STDERR_FILENO) == 1 else { return nil }
        progress = Progress(phase: "", total: nil)
    }

    deinit {
        clear()
    }

    /// A new phase; `total` in bytes, if that is known.
    package func begin(_ phase: String, total: Int?) {
        progress = Progress(phase: phase, total: total)
        began = Self.now
        show()
    }

    /// So many bytes more are done.
    package func advance(by count: Int) {
        progress.done += count
        guard Self.now - shown >= Self.interval else { return }
        show()
    }

    /// The phase is over, whatever its total was.
    package func end() {
        progress = Progress(
            phase: progress.phase, total: progress.total ?? progress.done, done: progress.done,
            seconds: progress.seconds)
        show()
    }

    /// Leaves an empty line for what comes next.
    package func clear() {
        guard width > 0 else { return }
        Descriptor.write("\r" + String(repeating: " ", count: width) + "\r", to: STDERR_FILENO)
        width = 0
    }

    private func show() {
        shown = Self.now
        progress.seconds = shown - began
        let line = progress.line(columns: Self.columns)
        // Blanks over the rest of a longer line: not every terminal knows how to clear one.
        let rest = String(repeating: " ", count: max(0, width - line.count))
        Descriptor.write("\r" + line + rest, to: STDERR_FILENO)
        width = max(width, line.count)
    }

    private static var columns: Int {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
