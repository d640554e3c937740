package import LatchkeyEncoding
import LatchkeyKeybag
package import LatchkeySecretMemory

/// What of the attempt counter survives a restart. It is written before a passcode is checked, so that cutting the
/// power during the check gains nothing.
package struct AttemptRecord: Sendable, Equatable {
    /// Consecutive tries that failed, or were begun and never ended.
    package var failures: Int
    /// Uptime at which the delay of the last failure began, in whole milliseconds: what is read back equals what was
    /// written down, so that the counter can tell its own record from another process's.
    package var delayStart: Uptime {
        didSet { delayStart = Self.wholeMilliseconds(delayStart) }
    }
    /// The run of the machine that `delayStart` belongs to.
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

/// Decides whether a passcode may be tried, and counts.
///
/// Time is uptime: moving the wall clock changes nothing. A restart begins the running delay anew.
package struct AttemptCounter: Sendable {
    package enum Start: Sendable, Equatable {
        /// Write this down, then check the passcode, then call ``succeeded()`` or ``failed(tag:)``.
        case check(AttemptRecord)
        case delayed(seconds: Double)
        /// The passcode that failed the last time; it is not counted again.
        case repeated
        /// No passcode is accepted any more.
        case exhausted
    }

    package private(set) var record: AttemptRecord
    /// As it is on disk; ``record`` may already have a later start of the delay.
    private var written: AttemptRecord
    /// Stands for the last wrong passcode; in memory only.
    private var lastWrong: SecretBox?

    /// - Parameters:
    ///   - record: as it was written down.
    ///   - boot: the present run of the machine.
    package init(record: AttemptRecord, boot: [UInt8], uptime: Uptime) {
        self.record = record
        written = record
        // Another run of the machine, or a clock that went back: the present period starts again.
        if record.boot != boot || record.delayStart > uptime { beginDelayAnew(boot: boot, uptime: uptime) }
    }

    package var isExhausted: Bool { AttemptDelay.seconds(afterFailures: record.failures) == nil }

    package var attemptsLeft: Int { max(0, AttemptDelay.limit - record.failures) }

    /// Seconds until the next try is accepted; 0 if it may come now or never.
    package func secondsLeft(uptime: Uptime) -> Double {
        guard let delay = AttemptDelay.seconds(afterFailures: record.failures) else { return 0 }
        return min(delay, max(0, record.delayStart + delay - uptime))
    }

    /// A try begins.
    /// - Parameter tag: stands for the passcode; equal for equal passcodes, useless to anybody else.
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

    /// This record is durable now.
    package mutating func recorded(_ next: AttemptRecord) {
        record = next
        written = next
    }

    /// True if the delay began anew and a restart would not know it yet.
    package var needsWriting: Bool { record != written && record.failures > 0 }

    /// The passcode was right. Returns the record to write down.
    package mutating func succeeded() -> AttemptRecord {
        lastWrong = nil
        return .none(boot: record.boot)
    }

    /// The passcode was wrong.
    package mutating func failed(tag: SecretBox) {
        lastWrong = tag
    }

    /// The device restarts: the present period starts again, and the last wrong passcode is forgotten.
    package mutating func restarted(boot: [UInt8], uptime: Uptime) {
        lastWrong = nil
        beginDelayAnew(boot: boot, uptime: uptime)
    }

    /// Takes over what another process wrote down. The last wrong passcode stays known only if nothing changed.
    package mutating func follow(_ found: AttemptRecord, boot: [UInt8], uptime: Uptime) {
        guard found != written else { return }
        self = AttemptCounter(record: found, boot: boot, uptime: uptime)
    }

    private mutating func beginDelayAnew(boot: [UInt8], uptime: Uptime) {
        record.boot = boot
        record.delayStart = uptime
    }
}
