import CLatchkeyShims
import Glibc

/// Signals that end the command, kept until a piece of work can be ended cleanly.
enum Interruption {
    /// From now on a signal is kept, and a second one of its kind ends the process.
    static func begin() {
        lk_interruption_begin()
        // A file larger than the limit of this process is an error like a full disk, and not the process's end.
        signal(SIGXFSZ, SIG_IGN)
    }

    static var isRequested: Bool { lk_interruption_signal() != 0 }
}
