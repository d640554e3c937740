package import LatchkeyEncoding

/// Decides whether a matched finger is accepted. The passcode is required first after five misses, a restart, a remote
/// lock, or too long a time without the passcode.
///
/// All times are uptime, so that a change of the wall clock has no effect. A new guard requires the passcode, like a
/// device that has just started.
package struct BiometryGuard: Sendable, Equatable {
    package static let missLimit = 5
    /// The longest time without any unlock.
    package static let secondsWithoutUnlock: Double = 48 * 3600
    /// The longest time without the passcode, unless a finger unlocked the device in the last ``secondsWithoutFinger``.
    package static let secondsWithoutPasscode: Double = 156 * 3600
    package static let secondsWithoutFinger: Double = 4 * 3600

    private struct Trust: Sendable, Equatable {
        var passcodeUptime: Uptime
        var fingerUptime: Uptime?

        var unlockUptime: Uptime { max(passcodeUptime, fingerUptime ?? passcodeUptime) }
    }

    private var misses = 0
    /// Nil until the passcode has been given.
    private var trust: Trust?

    package init() {}

    /// Returns the number of misses until the passcode is required; 0 if it is required now.
    package func missesLeft(uptime: Uptime) -> Int {
        isLockedOut(uptime: uptime) ? 0 : Self.missLimit - misses
    }

    package func isLockedOut(uptime: Uptime) -> Bool {
        guard let end = endOfTrust else { return true }
        return uptime >= end
    }

    /// The uptime from which the passcode is required unless something happens before; nil if it is required now.
    package var endOfTrust: Uptime? {
        guard let trust, misses < Self.missLimit else { return nil }
        let withoutPasscode = trust.passcodeUptime + Self.secondsWithoutPasscode
        let withoutFinger = trust.fingerUptime.map { $0 + Self.secondsWithoutFinger } ?? withoutPasscode
        return min(trust.unlockUptime + Self.secondsWithoutUnlock, max(withoutPasscode, withoutFinger))
    }

    /// Records a correct passcode, whatever it was for: clears all misses and restarts the trust period.
    package mutating func passcodeGiven(uptime: Uptime) {
        misses = 0
        trust = Trust(passcodeUptime: uptime, fingerUptime: nil)
    }

    /// Records a matched finger. Returns false if it is not accepted.
    package mutating func matched(unlockingDevice: Bool, uptime: Uptime) -> Bool {
        guard !isLockedOut(uptime: uptime) else { return false }
        misses = 0
        if unlockingDevice { trust?.fingerUptime = uptime }
        return true
    }

    /// Records a finger that was read and is not enrolled.
    package mutating func missed() {
        misses = min(misses + 1, Self.missLimit)
    }

    /// Requires the passcode: after a restart, a remote lock, or the removal of the passcode.
    package mutating func needPasscode() {
        trust = nil
    }
}
