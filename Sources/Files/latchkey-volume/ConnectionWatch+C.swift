import Glibc
import LatchkeyFileAccess
import LatchkeyPeerIdentity
import LatchkeyVolume

@_implementationOnly import CLatchkeyShims

/// A process beside the one that serves a volume, which ends the volume's connection with the kernel when that one dies.
///
/// When the device locks, the server has the kernel forget content, and a thread of it waits in the kernel for pages that
/// programs are writing: for answers of the server itself. If the server is killed then, that thread can never end. It holds
/// the connection open, and no program that uses the folder can be ended.
///
/// Used by the first thread alone, whose end is what the other process waits for.
final class ConnectionWatch {
    private struct Watcher {
        let number: pid_t
        /// Readable when it has ended.
        let end: OwnedDescriptor
    }

    private let folder: String
    /// The mark of this thread's life, and what stands for this process.
    private var life: OwnedDescriptor?
    private var own: OwnedDescriptor?
    /// Asked for once: another mount may cover the folder later.
    private var connection: UInt64?
    private var watcher: Watcher?
    private var startsLeft = 100

    init(mountedAt folder: String) {
        self.folder = folder
    }

    /// Starts the process, when the volume is mounted.
    func begin() {
        life = Self.owned(lk_life_begin())
        own = Self.owned(lk_pidfd_open(getpid()))
        connection = VolumeConnection.number(ofFolder: folder)
        start()
    }

    /// Waits for a signal to end this process, and meanwhile starts the other one again if it is killed.
    func waitForEndSignal() {
        while !OwnProcess.waitForEndSignal(orReadable: watcher?.end.number ?? -1) {
            guard let ended = watcher else { return }
            var status: Int32 = 0
            while unsafe waitpid(ended.number, &status, 0) < 0, errno == EINTR {}
            watcher = nil
            // One that ended by itself could not watch.
            if status & 0x7F != 0 { start() }
        }
    }

    /// Ends the process: the server is about to end the connection itself.
    func end() {
        guard let watcher else { return }
        _ = lk_pidfd_send_signal(watcher.end.number, SIGKILL)
        while waitpid(watcher.number, nil, 0) < 0, errno == EINTR {}
        self.watcher = nil
    }

    /// No signal ends the other process: it has none to wait for, and those for its user's programs are not for it.
    private func start() {
        guard startsLeft > 0, let life, let own, let connection else { return }
        startsLeft -= 1
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return }
        defer { close(nothing) }
        let words = [ConnectionWatcher.name, ConnectionWatcher.argument, "\(connection)", folder]
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var started: pid_t = 0
        let outcome = unsafe lk_spawn(
            "/proc/self/exe", &pointers, environ, [life.number, own.number, nothing],
            LK_SPAWN_NEW_SESSION | LK_SPAWN_BLOCKED, &started)
        guard outcome == 0 else { return }
        guard let end = Self.owned(lk_pidfd_open(started)) else {
            kill(started, SIGKILL)
            waitpid(started, nil, 0)
            return
        }
        watcher = Watcher(number: started, end: end)
    }

    private static func owned(_ descriptor: Int32) -> OwnedDescriptor? {
        descriptor < 0 ? nil : OwnedDescriptor(owning: descriptor)
    }
}
