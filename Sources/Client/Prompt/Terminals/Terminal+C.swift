import Glibc
import LatchkeyThreading

/// A terminal with a person. Opened for one prompt; its settings are restored when it is released.
@safe final class Terminal {
    /// The end of a person's input.
    enum Entry: Hashable {
        case line
        /// Ctrl-C, or Ctrl-D at the beginning of a line.
        case cancelled
        case over
        /// The terminal is gone.
        case hungUp
    }

    static let controlC: UInt8 = 3

    let descriptor: Int32
    private let before: termios
    private var isSilenced = false

    /// Nil if there is no terminal at the path, or this process may not use it.
    init?(path: String) {
        let descriptor = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var settings = termios()
        guard unsafe tcgetattr(descriptor, &settings) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        before = settings
    }

    deinit {
        // Settings that were not changed are not written: a background job that writes them is stopped (SIGTTOU).
        if isSilenced { restore() }
        close(descriptor)
    }

    /// The terminal of this process, if it has one.
    static let ofThisProcess = "/dev/tty"

    /// False while another job of the shell has the terminal: reading then takes that job's input.
    var isOurs: Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Turns echo off. Ctrl-C ends a line instead of the process, so that it works in a program that is not of this
    /// terminal's session, and the settings are restored in any case.
    func silence() -> Bool {
        var settings = before
        settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ISIG)
        settings.c_lflag |= tcflag_t(ICANON)
        settings.c_iflag |= tcflag_t(ICRNL)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { unsafe $0[Int(VEOL)] = Self.controlC }
        isSilenced = true
        // Input before the question is not an answer to it.
        return unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) == 0
    }

    /// Restores the settings and drops unread input: that was meant for the prompt, and not for a shell.
    func restore() {
        var settings = before
        unsafe tcsetattr(descriptor, TCSAFLUSH, &settings)
    }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if count == 0 || errno != EINTR { return }
        }
    }

    /// Waits for a line and reads it into `room` without its end. The terminal releases nothing before the end of the
    /// line.
    ///
    /// - Parameter room: one byte more than a line may have.
    /// - Returns: the end and length of the line; of a line that is too long the beginning is kept.
    func line(into room: UnsafeMutableRawBufferPointer, until cancellation: Cancellation) -> (Entry, count: Int) {
        var count = 0
        while true {
            let events = wait(until: cancellation)
            guard events != 0 else { return (.over, 0) }
            let slot = unsafe UnsafeMutableRawBufferPointer(rebasing: room[min(count, room.count - 1)...].prefix(1))
            let got = unsafe read(descriptor, slot.baseAddress, 1)
            guard got > 0 else {
                if got < 0, errno == EINTR || errno == EAGAIN { continue }
                guard got == 0, events & Int16(POLLHUP) == 0 else { return (.hungUp, 0) }
                return (count == 0 ? .cancelled : .line, count)
            }
            switch unsafe slot[0] {
            case Self.controlC: return (.cancelled, 0)
            case UInt8(ascii: "\n"): return (.line, count)
            default: count += 1
            }
        }
    }

    /// Returns the events at the terminal; 0 if the wait is over.
    private func wait(until cancellation: Cancellation) -> Int16 {
        while !cancellation.isOver {
            var sources = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: cancellation.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&sources, 2, cancellation.pollMilliseconds) > 0, sources[1].revents == 0 else { continue }
            if sources[0].revents != 0 { return sources[0].revents }
        }
        return 0
    }
}
