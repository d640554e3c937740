package import LatchkeyEncoding

/// Decides whether a finger counts: five misses, a restart, a remote lock, or too long without the passcode, and the
/// passcode comes first.
///
/// Time is uptime: moving the wall clock changes nothing. A guard that begins is one of a device that just started.
package struct BiometryGuard: Sendable, Equatable {
    package static let missLimit = 5
    /// Without any unlock.
    package static let secondsWithoutUnlock: Double = 48 * 3600
    /// Without the passcode, if the last unlock by finger is also some time ago.
    package static let secondsWithoutPasscode: Double = 156 * 3600
    package static let secondsWithoutFinger: Double = 4 * 3600

    private struct Trust: Sendable, Equatable {
        var passcodeUptime: Uptime
        var fingerUptime: Uptime?

        var unlockUptime: Uptime { max(passcodeUptime, fingerUptime ?? passcodeUptime) }
    }

    private var misses = 0
    /// Nil until the passcode was given.
    private var trust: Trust?

    package init() {}

    /// Misses until the passcode must be given; 0 if it must be given now.
    package func missesLeft(uptime: Uptime) -> Int {
        isLockedOut(uptime: uptime) ? 0 : Self.missLimit - misses
    }

    package func isLockedOut(uptime: Uptime) -> Bool {
        guard let end = endOfTrust else { return true }
        return uptime >= end
    }

    /// The uptime from which on the passcode comes first, if nothing happens until then; nil if it does already.
    package var endOfTrust: Uptime? {
        guard let trust, misses < Self.missLimit else { return nil }
        let withoutPasscode = trust.passcodeUptime + Self.secondsWithoutPasscode
        let withoutFinger = trust.fingerUptime.map { $0 + Self.secondsWithoutFinger } ?? withoutPasscode
        return min(trust.unlockUptime + Self.secondsWithoutUnlock, max(withoutPasscode, withoutFinger))
    }

    /// The right passcode was given, for whatever: it makes good everything.
    package mutating func passcodeGiven(uptime: Uptime) {
        misses = 0
        trust = Trust(passcodeUptime: uptime, fingerUptime: nil)
    }

    /// A finger matched. False if it does not count.
    package mutating func matched(unlockingDevice: Bool, uptime: Uptime) -> Bool {
        guard !isLockedOut(uptime: uptime) else { return false }
        misses = 0
        if unlockingDevice { trust?.fingerUptime = uptime }
        return true
    }

    /// A finger was read and is none of those enrolled.
    package mutating func missed() {
        misses = min(misses + 1, Self.missLimit)
    }

    /// The device restarted, was locked from afar, or has no passcode any more.
    package mutating func needPasscode() {
        trust = nil
    }
}
