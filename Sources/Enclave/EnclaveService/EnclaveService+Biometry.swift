import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization

extension EnclaveService {
    private static let removalSeconds: Double = 10

    func perform(_ request: BiometryRequest) -> EnclaveReply {
        switch request {
        case .status: .biometry(.status(biometryStatus()))
        case .beginEnrolment(let finger, let passcode): beginEnrolment(of: finger, passcode: passcode)
        case .continueEnrolment: continueEnrolment()
        case .cancelEnrolment: cancelEnrolment()
        case .removeFinger(let finger, let passcode): remove(finger, passcode: passcode)
        case .unlockWithFinger(let seconds): unlockWithFinger(seconds: seconds)
        case .cancelUnlock: cancelUnlock()
        case .lockRemotely: lockRemotely()
        }
    }

    private func biometryStatus() -> BiometryStatus {
        let look = enrolment.look()
        let uptime = clock.uptime()
        return state.withLock { state in
            let biometry = Self.biometry(
                look, hasPasscode: state.keybag.hasPasscode, isLockedOut: state.biometry.isLockedOut(uptime: uptime))
            var obstacle: VerdictRule?
            if case .unusable(let rule, _) = biometry { obstacle = rule }
            return BiometryStatus(
                survey: look.survey, obstacle: obstacle, enrolmentSet: look.set,
                missesLeft: state.biometry.missesLeft(uptime: uptime))
        }
    }

    private func beginEnrolment(of finger: Finger, passcode: SecretBox) -> EnclaveReply {
        let reply = verifyPasscode(passcode)
        guard case .done = reply else { return reply }
        let run = EnrolmentRun(finger)
        let former = enrolmentRun.withLock { current in
            defer { current = run }
            return current
        }
        former?.cancellation.cancel()
        if !DetachedThread.start({ self.enrol(run) }) { run.finish(.failed(.failed)) }
        return .biometry(.done)
    }

    /// The whole of an enrolment. Blocks.
    private func enrol(_ run: EnrolmentRun) {
        guard turns.begin(until: run.cancellation) else { return run.finish(.ended) }
        defer { turns.end() }
        let last = sensor.enrol(run.finger, until: run.cancellation) { run.report($0) }
        // The new set is on record before anybody hears that there is one.
        _ = enrolment.look()
        run.finish(last)
    }

    private func continueEnrolment() -> EnclaveReply {
        .biometry(.enrolment(enrolmentRun.withLock { $0 }?.next() ?? .ended))
    }

    func cancelEnrolment() -> EnclaveReply {
        let run = enrolmentRun.withLock { current in
            defer { current = nil }
            return current
        }
        run?.cancellation.cancel()
        return .biometry(.done)
    }

    private func remove(_ finger: Finger?, passcode: SecretBox) -> EnclaveReply {
        let reply = verifyPasscode(passcode)
        guard case .done = reply else { return reply }
        guard turns.begin(until: Cancellation(seconds: Self.removalSeconds)) else {
            return .biometry(.removalFailed(.busy))
        }
        defer { turns.end() }
        let obstacle = sensor.remove(finger)
        _ = enrolment.look()
        return .biometry(obstacle.map { .removalFailed($0) } ?? .done)
    }

    private func cancelUnlock() -> EnclaveReply {
        waits.cancel(of: .unlock)
        return .biometry(.done)
    }
}
