package import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyThreading

extension EnclaveService {
    /// Does not wait for passcode operations or the sensor.
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

    /// Locks at once; fingers are not accepted until the passcode has been given.
    package func answer(_ question: LockRemotely) throws(EnclaveRefusal) -> FingersDone {
        let uptime = clock.uptime()
        var hasPasscode = false
        changing { state in
            hasPasscode = state.keybag.hasPasscode
            return hasPasscode ? state.lockRemotely(uptime: uptime) : .none
        }
        guard hasPasscode else { throw .noPasscodeSet }
        waits.cancel(of: nil)
        escrows.endAll()
        signal.timerChanged()
        return FingersDone()
    }

    /// Ends the grace period and the time in which a finger unlocks, if they are over.
    package func clockMoved() {
        settle()
    }

    /// Returns the seconds until ``clockMoved()`` should be called; nil if no timer is running.
    package func secondsUntilTimer() -> Double? {
        let uptime = clock.uptime()
        let ends = [state.withLock { $0.nextExpiry }, escrows.nextExpiry].compactMap { $0 }
        return ends.min().map { max(0, $0 - uptime) }
    }

    /// Runs the timers in real time: wipes keys at the end of the grace period, and sealed keys when fingers may no
    /// longer unlock. Never returns; needs a thread of its own.
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
    /// Runs `body` during a passcode operation.
    package func testOnlyDuringPasscodeOperation(_ body: () -> Void) {
        _ = try? operation { _ throws(EnclaveRefusal) in body() }
    }
}
