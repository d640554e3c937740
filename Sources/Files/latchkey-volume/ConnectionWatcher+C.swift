import Glibc
import LatchkeyVolume

@_implementationOnly import CLatchkeyShims

/// The process that ``ConnectionWatch`` starts: waits for the death of the one that serves a volume, and ends its
/// connection.
enum ConnectionWatcher {
    /// The first argument of this process.
    static let argument = "--watch"
    /// The name in the list of processes: another one than the server's, so that `killall` of that name does not end
    /// both.
    static let name = "latchkey-watch"

    /// Standard input is the mark of the first thread's life, and standard output stands for the whole process.
    ///
    /// - Parameter words: the arguments behind the first one: the number of the connection, and the folder.
    static func run(_ words: [String]) -> Never {
        unsafe lk_process_set_name(name)
        // A directory that it is in could not be unmounted.
        unsafe chdir("/")
        guard words.count == 2, let number = UInt64(words[0]) else { exit(EXIT_FAILURE) }
        let connection = VolumeConnection(number: number)
        guard lk_life_wait(STDIN_FILENO) == 0 else { exit(EXIT_FAILURE) }
        // The kernel has ended the connection of a process without threads. Number and folder may be another volume's
        // by now.
        if isReadable(STDOUT_FILENO) { exit(EXIT_SUCCESS) }
        exit(connection.end(mountedAt: words[1]) ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    private static func isReadable(_ descriptor: Int32) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0
    }
}
