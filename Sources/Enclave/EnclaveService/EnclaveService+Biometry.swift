import LatchkeyAccessControl
package import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

extension EnclaveService {
    private static let removalSeconds: Double = 10

    package func answer(_ question: AskBiometry) -> BiometryStatus {
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

    package func answer(_ question: BeginEnrolment) throws(EnclaveRefusal) -> FingersDone {
        try verify(question.passcode)
        let run = EnrolmentRun(question.finger)
        let former = enrolmentRun.withLock { current in
            defer { current = run }
            return current
        }
        former?.cancellation.cancel()
        if !DetachedThread.start({ self.enrol(run) }) { run.finish(.failed(.failed)) }
        return FingersDone()
    }

    /// Runs an enrolment to its end. Blocks.
    private func enrol(_ run: EnrolmentRun) {
        guard turns.begin(until: run.cancellation) else { return run.finish(.ended) }
        defer { turns.end() }
        let last = sensor.enrol(run.finger, until: run.cancellation) { run.report($0) }
        // The new set is on disk before the event reports it.
        _ = enrolment.look()
        run.finish(last)
    }

    package func answer(_ question: ContinueEnrolment) -> EnrolmentEvent {
        enrolmentRun.withLock { $0 }?.next() ?? .ended
    }

    package func answer(_ question: CancelEnrolment) -> FingersDone {
        cancelEnrolment()
        return FingersDone()
    }

    func cancelEnrolment() {
        let run = enrolmentRun.withLock { current in
            defer { current = nil }
            return current
        }
        run?.cancellation.cancel()
    }

    package func answer(_ question: RemoveFinger) throws(EnclaveRefusal) -> FingerRemoval {
        try verify(question.passcode)
        guard turns.begin(until: Cancellation(seconds: Self.removalSeconds)) else {
            return .failed(.busy)
        }
        defer { turns.end() }
        let obstacle = sensor.remove(question.finger)
        _ = enrolment.look()
        return obstacle.map { .failed($0) } ?? .removed
    }

    package func answer(_ question: CancelUnlock) -> FingersDone {
        waits.cancel(of: .unlock)
        return FingersDone()
    }
}
