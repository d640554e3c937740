package import LatchkeyEncoding
import LatchkeyThreading

/// The audit log of a device: the operations of each program, in a file that is only appended to. Every record contains
/// the digest of the one before (`Docs/Formats/audit-log.md`).
///
/// Successful operations are counted in memory and written once a second, by the thread in ``runWriter()`` or, without
/// such a thread, at the first event of a second. Important events are written before ``record(_:atOnce:)`` returns. If
/// the log cannot be written, the recorded call still succeeds, and the log later records how many events were lost.
package final class AuditLog: Sendable {
    /// The size limit of one file. A log has at most two files.
    package static let fileByteLimit = 4 << 20
    /// The number of different events that may wait in memory.
    package static let waitingLimit = 256
    private static let intervalSeconds = 1

    private struct Waiting {
        var events = PendingEvents()
        var hasWriter = false
        /// The time of the last write; used if there is no writer thread.
        var lastWrite = Uptime(seconds: -.infinity)
    }

    private let now: @Sendable () -> WallTime
    private let uptime: @Sendable () -> Uptime
    private let waiting = ForkMutex(Waiting())
    /// Locked before ``waiting``, so that events are written in the order in which they are taken out.
    private let files: ForkMutex<AuditFiles>
    private let signal = WriterSignal()

    /// - Parameters:
    ///   - directory: the directory of the files, which only this user can access.
    ///   - now: the clock for the records.
    ///   - uptime: the clock for the interval.
    package init(
        directory: String, fileByteLimit: Int = AuditLog.fileByteLimit, now: @escaping @Sendable () -> WallTime,
        uptime: @escaping @Sendable () -> Uptime
    ) {
        self.now = now
        self.uptime = uptime
        files = ForkMutex(AuditFiles(directory: directory, fileByteLimit: fileByteLimit))
    }

    deinit {
        flush()
    }

    /// The damage that this process found in the log, with advice; nil normally.
    package var report: String? { files.withLock { $0.report } }

    /// Records an event.
    /// - Parameter atOnce: if true, this event and all earlier ones are in the file when the function returns.
    package func record(_ event: AuditEvent, atOnce: Bool) {
        enum Next {
            case nothing
            case write
            case wake(WriterSignal.State)
        }
        let next = waiting.withLock { waiting -> Next in
            let wasEmpty = waiting.events.isEmpty
            waiting.events.add(event, time: now)
            let count = waiting.events.differentCount
            if atOnce { return .write }
            guard waiting.hasWriter else {
                let isDue = uptime() - waiting.lastWrite >= Double(Self.intervalSeconds)
                return isDue || count >= Self.waitingLimit ? .write : .nothing
            }
            // If the writer is too slow, callers write too; memory would otherwise grow without limit.
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

    /// Writes the waiting events.
    package func flush() {
        files.withLock { files in
            let entries = waiting.withLock { waiting in
                waiting.lastWrite = uptime()
                return waiting.events.removeAll()
            }
            if !entries.isEmpty { files.append(entries, at: now()) }
        }
    }

    /// The same at the end of the process, where a thread that will not go on may have the log: then nothing is written.
    package func flushIfFree() {
        _ = files.withLockIfAvailable { files in
            let entries = waiting.withLockIfAvailable { $0.events.removeAll() } ?? []
            if !entries.isEmpty { files.append(entries, at: now()) }
        }
    }

    /// Checks the chain, then writes the waiting events once a second until ``close()``. Blocks; needs a thread of its
    /// own.
    package func runWriter() {
        waiting.withLock { $0.hasWriter = true }
        files.withLock { $0.append([], at: now()) }
        while signal.waitForWork(seconds: Self.intervalSeconds) { flush() }
    }

    /// Writes the waiting events and ends the writer.
    package func close() {
        waiting.withLock { $0.hasWriter = false }
        signal.raise(to: .isOver)
        flush()
    }
}
