package import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyKeybag
import Synchronization

extension EnclaveService {
    /// Waits for no passcode operation and no sensor.
    package func answer(_ question: LockDevice) throws(EnclaveRefusal) -> Done {
        let uptime = clock.uptime()
        let enrolmentSet = enrolment.known
        var hasPasscode = false
        changing { state in
            hasPasscode = state.keybag.hasPasscode
            let grace = question.immediately ? 0 : state.keybag.settings.gracePeriodSeconds
            return state.lock(graceSeconds: grace, uptime: uptime, enrolmentSet: enrolmentSet)
        }
        signal.timerChanged()
        guard hasPasscode else { throw .noPasscodeSet }
        return Done()
    }

    /// Locks at once, and no finger counts until the passcode was given.
    package func answer(_ question: LockRemotely) throws(EnclaveRefusal) -> FingersDone {
        let uptime = clock.uptime()
        var hasPasscode = false
        changing { state in
            hasPasscode = state.keybag.hasPasscode
            return hasPasscode ? state.lockRemotely(uptime: uptime) : .none
        }
        guard hasPasscode else { throw .noPasscodeSet }
        waits.cancel(of: nil)
        signal.timerChanged()
        return FingersDone()
    }

    /// Ends the grace period now if it is over, and the time in which a finger unlocks.
    package func clockMoved() {
        settle()
    }

    /// Seconds until ``clockMoved()`` should be called; nil if nothing is to end.
    package func secondsUntilTimer() -> Double? {
        let uptime = clock.uptime()
        return state.withLock { state in state.nextExpiry.map { max(0, $0 - uptime) } }
    }

    /// Keeps the grace period in real time: wipes keys the moment it ends, and those that a finger could release when
    /// its time is over. Never returns; for a thread of its own.
    package func runTimer() -> Never {
        while true {
            let ticket = signal.ticket
            let seconds = secondsUntilTimer()
            if let seconds, seconds <= 0 {
                clockMoved()
            } else {
                signal.waitForTimer(after: ticket, seconds: seconds)
            }
        }
    }
}

extension EnclaveService {
    /// Runs `body` while a passcode operation is under way.
    package func testOnlyDuringPasscodeOperation(_ body: () -> Void) {
        _ = try? operation { _ throws(EnclaveRefusal) in body() }
    }
}
