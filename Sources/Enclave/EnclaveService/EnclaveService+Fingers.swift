import LatchkeyAccessControl
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    /// A finger of an enrolled set that was matched in an era of the device.
    private struct SeenFinger {
        let finger: Finger?
        let match: Evidence.Match
        let era: UInt64
    }

    private enum Seen {
        case finger(SeenFinger)
        case other(MatchOutcome)
    }

    /// Waits for one touch for a context. Blocks.
    package func answer(_ question: MatchFinger) -> ContextAnswer<MatchOutcome> {
        let context = question.context
        let cancellation = Self.cancellation(seconds: question.seconds)
        let wait = waits.begin(cancellation, of: .context(context))
        // From here on, closing the context ends the wait.
        guard contexts.isOpen(context) else {
            _ = waits.end(wait)
            return .unknown
        }
        let seen = waitForFinger(until: cancellation)
        guard waits.end(wait) else { return .known(.cancelled) }
        switch seen {
        case .other(let outcome):
            return .known(outcome)
        case .finger(let seen):
            let counts = state.withLock { state in
                let counts =
                    state.era == seen.era && state.biometry.matched(unlockingDevice: false, uptime: seen.match.uptime)
                if counts { state.wasUsed(uptime: seen.match.uptime) }
                return counts
            }
            guard counts else { return .known(.refused(.biometryLockedOut)) }
            guard contexts.add(match: seen.match, era: seen.era, to: context) else { return .unknown }
            return .known(.matched(seen.finger))
        }
    }

    /// Waits for one touch that unlocks the device. Blocks.
    package func answer(_ question: UnlockWithFinger) throws(EnclaveRefusal) -> MatchOutcome {
        let cancellation = Self.cancellation(seconds: question.seconds)
        let wait = waits.begin(cancellation, of: .unlock)
        guard state.withLock({ $0.keybag.hasPasscode }) else {
            _ = waits.end(wait)
            throw .noPasscodeSet
        }
        let seen = waitForFinger(until: cancellation) { set in
            state.withLock { $0.opensByFinger(of: set) }
        }
        guard waits.end(wait) else { return .cancelled }
        switch seen {
        case .other(let outcome):
            return outcome
        case .finger(let seen):
            var counts = false
            changing { state in
                guard state.era == seen.era, let change = state.unlock(by: seen.match) else { return .none }
                counts = true
                return change
            }
            signal.timerChanged()
            return counts ? .matched(seen.finger) : .refused(.biometryLockedOut)
        }
    }

    /// Waits for the sensor and for one touch. The touch is accepted only if the same fingers are enrolled before and
    /// after it, and before the wait ends.
    /// - Parameter isUseful: returns false if a match of the set would have no effect.
    private func waitForFinger(
        until cancellation: Cancellation, isUseful: (EnrolmentSet) -> Bool = { _ in true }
    ) -> Seen {
        guard case .usable(let set) = presentBiometry() else { return .other(.refused(presentRule())) }
        guard isUseful(set) else { return .other(.refused(.biometryLockedOut)) }
        guard turns.begin(until: cancellation) else { return .other(Self.end(of: cancellation)) }
        defer { turns.end() }
        let uptime = clock.uptime()
        let (era, isLockedOut) = state.withLock { ($0.era, $0.biometry.isLockedOut(uptime: uptime)) }
        guard !isLockedOut else { return .other(.refused(.biometryLockedOut)) }
        switch sensor.match(until: cancellation) {
        case .matched(let finger):
            guard !cancellation.isOver else { return .other(Self.end(of: cancellation)) }
            guard case .usable(let after) = presentBiometry() else { return .other(.refused(presentRule())) }
            guard after == set else { return .other(.unclear(.again)) }
            let match = Evidence.Match(uptime: clock.uptime(), enrolmentSet: set)
            return .finger(SeenFinger(finger: finger, match: match, era: era))
        case .notMatched:
            // Counted even if the wait has ended; otherwise cancelling would avoid the count.
            return .other(.notMatched(missesLeft: countMiss()))
        case .unclear(let touch):
            return .other(.unclear(touch))
        case .ended:
            return .other(Self.end(of: cancellation))
        case .unavailable(let obstacle):
            return .other(.refused(obstacle.rule))
        }
    }

    private func presentBiometry() -> DeviceEnvironment.Biometry {
        environment(lookingAtSensor: true).biometry
    }

    private func presentRule() -> VerdictRule {
        if case .unusable(let rule, _) = presentBiometry() { rule } else { .biometryNotAvailable }
    }

    private func countMiss() -> Int {
        let uptime = clock.uptime()
        return state.withLock { state in
            state.missed()
            return state.biometry.missesLeft(uptime: uptime)
        }
    }

    private static func cancellation(seconds: Double) -> Cancellation {
        Cancellation(seconds: seconds.isFinite ? min(max(0, seconds), EnclaveLimits.matchSeconds) : 0)
    }

    private static func end(of cancellation: Cancellation) -> MatchOutcome {
        cancellation.isTimedOut && !cancellation.isCancelled ? .timedOut : .cancelled
    }
}

extension EnclaveService {
    /// Returns when this many waits are queued for the sensor, including the one that uses it. Blocks.
    package func testOnlyWaitForLine(of count: Int) {
        turns.testOnlyWait(forLineOf: count)
    }
}
