package import LatchkeyEncoding
import LatchkeyKeybag
package import LatchkeySecretMemory

/// The part of the attempt counter that survives a restart. It is written before a passcode is checked, so that a power
/// cut during the check does not give an attacker another try.
package struct AttemptRecord: Sendable, Equatable {
    /// Consecutive tries that failed or were interrupted.
    package var failures: Int
    /// The uptime at which the delay of the last failure began, in whole milliseconds. The value that is read back
    /// equals the value that was written, so that the counter recognises its own record.
    package var delayStart: Uptime {
        didSet { delayStart = Self.wholeMilliseconds(delayStart) }
    }
    /// The run of the machine for which `delayStart` is valid.
    package var boot: [UInt8]

    package init(failures: Int, delayStart: Uptime, boot: [UInt8]) {
        self.failures = failures
        self.delayStart = Self.wholeMilliseconds(delayStart)
        self.boot = boot
    }

    private static func wholeMilliseconds(_ time: Uptime) -> Uptime {
        Uptime(seconds: (time.seconds * 1000).rounded(.down) / 1000)
    }

    package static func none(boot: [UInt8]) -> AttemptRecord {
        AttemptRecord(failures: 0, delayStart: 0, boot: boot)
    }
}

/// Counts tries and decides whether a passcode may be tried.
///
/// All times are uptime, so that a change of the wall clock has no effect. After a restart the current delay begins
/// again.
package struct AttemptCounter: Sendable {
    package enum Start: Sendable, Equatable {
        /// Write this record, then check the passcode, then call ``succeeded()`` or ``failed(tag:)``.
        case check(AttemptRecord)
        case delayed(seconds: Double)
        /// The same passcode failed the last time; it is not counted again.
        case repeated
        /// Ten tries have failed; no passcode is accepted any more.
        case exhausted
    }

    package private(set) var record: AttemptRecord
    /// The record on disk; ``record`` may already have a later start of the delay.
    private var written: AttemptRecord
    /// The tag of the last wrong passcode; in memory only.
    private var lastWrong: SecretBox?

    /// - Parameters:
    ///   - record: the record from disk.
    ///   - boot: the current run of the machine.
    package init(record: AttemptRecord, boot: [UInt8], uptime: Uptime) {
        self.record = record
        written = record
        // The machine has restarted, or its clock went back: the current delay begins again.
        if record.boot != boot || record.delayStart > uptime { beginDelayAnew(boot: boot, uptime: uptime) }
    }

    package var isExhausted: Bool { AttemptDelay.seconds(afterFailures: record.failures) == nil }

    package var attemptsLeft: Int { max(0, AttemptDelay.limit - record.failures) }

    /// The seconds until the next try is accepted; 0 if it is accepted now or never.
    package func secondsLeft(uptime: Uptime) -> Double {
        guard let delay = AttemptDelay.seconds(afterFailures: record.failures) else { return 0 }
        return min(delay, max(0, record.delayStart + delay - uptime))
    }

    /// Begins a try.
    /// - Parameter tag: a value derived from the passcode. It is equal for equal passcodes, and useless to an attacker.
    package mutating func start(tag: SecretBox, uptime: Uptime) -> Start {
        if isExhausted { return .exhausted }
        let left = secondsLeft(uptime: uptime)
        if left > 0 { return .delayed(seconds: left) }
        if let lastWrong, lastWrong.equals(tag) { return .repeated }
        var next = record
        next.failures += 1
        next.delayStart = uptime
        return .check(next)
    }

    /// Notes that this record is on disk.
    package mutating func recorded(_ next: AttemptRecord) {
        record = next
        written = next
    }

    /// True if the delay began again and the record on disk does not say so yet.
    package var needsWriting: Bool { record != written && record.failures > 0 }

    /// Ends a try with the right passcode. Returns the record to write.
    package mutating func succeeded() -> AttemptRecord {
        lastWrong = nil
        return .none(boot: record.boot)
    }

    /// Ends a try with a wrong passcode.
    package mutating func failed(tag: SecretBox) {
        lastWrong = tag
    }

    /// Notes a restart of the device: the current delay begins again, and the last wrong passcode is forgotten.
    package mutating func restarted(boot: [UInt8], uptime: Uptime) {
        lastWrong = nil
        beginDelayAnew(boot: boot, uptime: uptime)
    }

    /// Takes over a record that another process wrote. The last wrong passcode is kept only if the record is unchanged.
    package mutating func follow(_ found: AttemptRecord, boot: [UInt8], uptime: Uptime) {
        guard found != written else { return }
        self = AttemptCounter(record: found, boot: boot, uptime: uptime)
    }

    private mutating func beginDelayAnew(boot: [UInt8], uptime: Uptime) {
        record.boot = boot
        record.delayStart = uptime
    }
}
