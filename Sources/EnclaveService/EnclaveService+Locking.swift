import EnclaveCore
import Keybag
import Synchronization

extension EnclaveService {
    /// Waits for no passcode operation.
    func lock(immediately: Bool) -> EnclaveReply {
        let uptime = clock.uptime()
        var hasPasscode = false
        changing { state in
            hasPasscode = state.keybag.hasPasscode
            let grace = immediately ? 0 : state.keybag.settings.gracePeriodSeconds
            return state.lock(graceSeconds: grace, uptime: uptime)
        }
        signal.timerChanged()
        return hasPasscode ? .done : .refused(.noPasscodeSet)
    }

    /// Ends the grace period now if it is over.
    package func clockMoved() {
        settle()
    }

    /// Seconds until ``clockMoved()`` should be called; nil if no grace period is running.
    package func secondsUntilTimer() -> Double? {
        let uptime = clock.uptime()
        return state.withLock { state in state.graceEnd.map { max(0, $0 - uptime) } }
    }

    /// Keeps the grace period in real time: wipes keys the moment it ends. Never returns; for a thread of its own.
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
        _ = operation { _ throws(EnclaveRefusal) in body() }
    }
}
