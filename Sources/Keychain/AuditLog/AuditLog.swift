package import LatchkeyEncoding
import Synchronization

/// The audit log of a device: who did what, in a file that is only appended to and in which every record carries the
/// digest of the one before (`Docs/Formats/audit-log.md`).
///
/// What succeeds is counted in memory and written once a second: by the thread that runs ``runWriter()``, or, where
/// there is none, at the first event of a second. What matters by itself is written before ``record(_:atOnce:)``
/// returns. A log that cannot be written never fails the call it tells about; it says later how much it lost.
package final class AuditLog: Sendable {
    /// Two files of this size are the most that a log takes.
    package static let fileByteLimit = 4 << 20
    /// So many different events are not kept waiting.
    package static let waitingLimit = 256
    private static let intervalSeconds = 1

    private struct Waiting {
        var events = PendingEvents()
        var hasWriter = false
        /// When something was written last, where nobody else does it.
        var lastWrite = Uptime(seconds: -.infinity)
    }

    private let now: @Sendable () -> WallTime
    private let uptime: @Sendable () -> Uptime
    private let waiting = Mutex(Waiting())
    /// Taken before ``waiting``: the order of taking events out is that of writing them.
    private let files: Mutex<AuditFiles>
    private let signal = WriterSignal()

    /// - Parameters:
    ///   - directory: where the files lie; it belongs to this user alone.
    ///   - now: for the records.
    ///   - uptime: for the interval.
    package init(
        directory: String, fileByteLimit: Int = AuditLog.fileByteLimit, now: @escaping @Sendable () -> WallTime,
        uptime: @escaping @Sendable () -> Uptime
    ) {
        self.now = now
        self.uptime = uptime
        files = Mutex(AuditFiles(directory: directory, fileByteLimit: fileByteLimit))
    }

    deinit {
        flush()
    }

    /// What was found broken since this process began, with what to do; nil normally.
    package var report: String? { files.withLock { $0.report } }

    /// Takes an event in.
    /// - Parameter atOnce: it is in the file when this returns, and all before it.
    package func record(_ event: AuditEvent, atOnce: Bool) {
        enum Next {
            case nothing
            case write
            case wake(WriterSignal.State)
        }
        let next = waiting.withLock { waiting -> Next in
            let wasEmpty = waiting.events.isEmpty
            waiting.events.add(event, time: { now().seconds })
            let count = waiting.events.differentCount
            if atOnce { return .write }
            guard waiting.hasWriter else {
                let isDue = uptime() - waiting.lastWrite >= Double(Self.intervalSeconds)
                return isDue || count >= Self.waitingLimit ? .write : .nothing
            }
            // A writer that cannot keep up makes callers help, rather than take memory without end.
            if count >= 8 * Self.waitingLimit { return .write }
            if count >= Self.waitingLimit { return .wake(.hurries) }
            return wasEmpty ? .wake(.hasWork) : .nothing
        }
        switch next {
        case .nothing: break
        case .write: flush()
        case .wake(let state): signal.raise(to: state)
        }
    }

    /// Writes what waits.
    package func flush() {
        files.withLock { files in
            let entries = waiting.withLock { waiting in
                waiting.lastWrite = uptime()
                return waiting.events.removeAll()
            }
            if !entries.isEmpty { files.append(entries, at: now().seconds) }
        }
    }

    /// Checks the chain, then writes once a second what waits, until ``close()``. Blocks; for a thread of its own.
    package func runWriter() {
        waiting.withLock { $0.hasWriter = true }
        files.withLock { $0.append([], at: now().seconds) }
        while signal.waitForWork(seconds: Self.intervalSeconds) { flush() }
    }

    /// Writes what waits and ends the writer.
    package func close() {
        waiting.withLock { $0.hasWriter = false }
        signal.raise(to: .isOver)
        flush()
    }
}
