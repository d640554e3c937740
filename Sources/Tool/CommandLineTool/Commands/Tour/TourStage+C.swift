import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyPlainText
import Synchronization

/// The stage of a tour: a throwaway directory and the processes in it. Cleared in every case, also when the user
/// interrupts the tour.
final class TourStage: Sendable {
    private let throwaway: ThrowawayDirectory
    let pair: DaemonPair
    var directory: DeviceDirectory { pair.directory }
    private let isCleared = Mutex(false)
    private let isInterrupted = Mutex(false)
    private static let name = "latchkey-tour"

    init() throws(CommandFailure) {
        let parent = Self.parent
        // The processes of a tour that was killed may still be there.
        ThrowawayDirectory.removeAbandoned(named: Self.name, in: [parent]) {
            DeviceLock.isHeld(DeviceDirectory(path: $0))
        }
        do throws(ThrowawayFailure) {
            // Its processes end before it goes, so that signals are watched here.
            throwaway = try ThrowawayDirectory(named: Self.name, in: [parent], isRemovedAtSignal: false)
        } catch {
            throw CommandFailure(
                .tourStepFailed, "No throwaway directory could be made in \(PlainText.escaped(parent)).",
                why: SystemError.text(error.errno), advice: "Name a directory where this user may write in TMPDIR.")
        }
        pair = DaemonPair(directory: DeviceDirectory(path: throwaway.path))
        clearWhenInterrupted()
    }

    /// TMPDIR, where the sockets of a device below it have paths that the system takes; else /tmp.
    private static var parent: String {
        guard let named = unsafe getenv("TMPDIR") else { return "/tmp" }
        let path = unsafe String(cString: named)
        return PathText.isAbsolute(path) && path.utf8.count <= 60 ? path : "/tmp"
    }

    /// Ends a tour whose output has no reader any more, because a pager was left for instance: by SIGPIPE, as any
    /// program that writes into a closed pipe, but after clearing up. Returns where that signal is ignored.
    func outputWasClosed() {
        removeEverything()
        var closed = sigset_t()
        unsafe sigemptyset(&closed)
        unsafe sigaddset(&closed, SIGPIPE)
        // It waits since the write.
        unsafe pthread_sigmask(SIG_UNBLOCK, &closed, nil)
    }

    /// The end of a tour that ran. A step may have failed because the tour was interrupted; then the interruption
    /// decides how the process ends, and this does not return.
    func clear() {
        removeEverything()
        while isInterrupted.withLock({ $0 }) { pause() }
    }

    /// Ends the processes and removes the directory, once; a second caller waits until it is done.
    private func removeEverything() {
        isCleared.withLock { isCleared in
            guard !isCleared else { return }
            isCleared = true
            for process in [pair.daemon, pair.enclave].compactMap({ $0 }) {
                process.send(signal: SIGTERM)
                if !process.waitForEnd(milliseconds: 5000) { process.send(signal: SIGKILL) }
            }
            throwaway.remove()
        }
    }

    /// Signals go to a thread of their own, so that clearing up needs no care for what a signal may interrupt. A tour in
    /// the background that reads the terminal (SIGTTIN), or may not write to it (SIGTTOU), would stop with its processes
    /// running; it ends instead. A closed pipe is the affair of the thread that writes.
    private func clearWhenInterrupted() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTTIN, SIGTTOU] { unsafe sigaddset(&signals, signal) }
        var blocked = signals
        unsafe sigaddset(&blocked, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
        let source = unsafe lk_signalfd(&signals)
        guard source >= 0 else { return }
        let context = unsafe Unmanaged.passRetained(Watch(stage: self, source: source))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                let watch = unsafe Unmanaged<Watch>.fromOpaque(context).takeRetainedValue()
                let signal = lk_signalfd_read(watch.source)
                StandardError.write("\nlatchkey: interrupted; the throwaway device is being removed.\n")
                watch.stage.isInterrupted.withLock { $0 = true }
                watch.stage.removeEverything()
                _exit(128 + max(signal, 0))
            }, unsafe context.toOpaque())
        if result != 0 { unsafe context.release() }
    }

    private final class Watch: Sendable {
        let stage: TourStage
        let source: Int32

        init(stage: TourStage, source: Int32) {
            self.stage = stage
            self.source = source
        }
    }
}
