import Glibc
import LatchkeyDevice
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
        let start: ContinuousClock.Instant
    }

    /// The descriptors for the process, opened before the server can have used up its own.
    private struct Means {
        /// The mark of this thread's life, and what stands for this process.
        let life: OwnedDescriptor
        let own: OwnedDescriptor
        let nothing: OwnedDescriptor
        let signals: OwnedDescriptor
        /// Asked for once: another mount may cover the folder later.
        let connection: UInt64

        init?(_ folder: String) {
            guard let life = owned(lk_life_begin()), let own = owned(lk_pidfd_open(getpid())),
                let nothing = unsafe owned(open("/dev/null", O_RDWR | O_CLOEXEC)),
                let signals = owned(OwnProcess.openEndSignals()), let number = VolumeConnection.number(ofFolder: folder)
            else { return nil }
            (self.life, self.own, self.nothing, self.signals, connection) = (life, own, nothing, signals, number)
        }
    }

    private static let startLimit = 100
    /// A process that lives as long is not in a circle of deaths.
    private static let longLife = Duration.seconds(60)
    private static let pauseMilliseconds: Int32 = 10_000

    private let folder: String
    private let log: ProgramLog
    private var means: Means?
    private var watcher: Watcher?
    private var startsLeft = startLimit

    init(mountedAt folder: String, _ log: ProgramLog) {
        self.folder = folder
        self.log = log
    }

    /// Starts the process, when the volume is mounted.
    func begin() {
        means = Means(folder)
        guard means != nil else { return note("No process can watch this one") }
        start()
    }

    /// Waits for a signal to end this process, and meanwhile starts the other one again if it is killed, or could not
    /// be started.
    func waitForEndSignal() {
        guard let means else { return OwnProcess.waitForEndSignal() }
        while true {
            let pause = watcher == nil && startsLeft > 0 ? Self.pauseMilliseconds : nil
            if OwnProcess.waitForEndSignal(
                from: means.signals.number, orReadable: watcher?.end.number, milliseconds: pause)
            {
                return
            }
            guard let ended = watcher else {
                start()
                continue
            }
            var status: Int32 = 0
            while unsafe waitpid(ended.number, &status, 0) < 0, errno == EINTR {}
            watcher = nil
            if ended.start.duration(to: .now) > Self.longLife { startsLeft = Self.startLimit }
            if status & 0x7F != 0 {
                start()
            } else {
                // One that ended by itself could not watch.
                startsLeft = 0
                note("The process that watches this one has ended")
            }
        }
    }

    /// Ends the process: the server is about to end the connection itself.
    func end() {
        startsLeft = 0
        guard let watcher else { return }
        _ = lk_pidfd_send_signal(watcher.end.number, SIGKILL)
        while waitpid(watcher.number, nil, 0) < 0, errno == EINTR {}
        self.watcher = nil
    }

    /// No signal ends the other process: it has none to wait for, and those for its user's programs are not for it.
    private func start() {
        guard startsLeft > 0, let means else { return }
        startsLeft -= 1
        if startsLeft == 0 { note("The process that watches this one was killed \(Self.startLimit - 1) times") }
        let words = [ConnectionWatcher.name, ConnectionWatcher.argument, "\(means.connection)", folder]
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var started: pid_t = 0
        let outcome = unsafe lk_spawn(
            "/proc/self/exe", &pointers, environ, [means.life.number, means.own.number, means.nothing.number],
            LK_SPAWN_NEW_SESSION | LK_SPAWN_BLOCKED, &started)
        guard outcome == 0 else { return }
        guard let end = owned(lk_pidfd_open(started)) else {
            kill(started, SIGKILL)
            waitpid(started, nil, 0)
            return
        }
        watcher = Watcher(number: started, end: end, start: .now)
    }

    private func note(_ reason: String) {
        log.write(
            "\(reason): if this one is killed while the device locks, programs that use \(folder) may hang until "
                + "`latchkey volume unmount`")
    }
}

private func owned(_ descriptor: Int32) -> OwnedDescriptor? {
    descriptor < 0 ? nil : OwnedDescriptor(owning: descriptor)
}
