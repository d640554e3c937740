import LatchkeyTestSupport
import Synchronization
import Testing

@testable import LatchkeySyncService

/// The turns of those that want a circle.
@Suite struct PatientLockTests {
    @Test("a caller that gives up after a time goes before one that does not") func order() {
        let lock = PatientLock()
        let turns = Mutex<[String]>([])
        @Sendable func take(_ name: String) { turns.withLock { $0.append(name) } }
        #expect(!lock.isAwaited)
        let (worker, answer) = lock.withLock {
            let worker = Pending { lock.withLock { take("worker") } }
            let answer = Pending { lock.withLock(within: 600) { take("answer") } != nil }
            while !lock.isAwaited {}
            return (worker, answer)
        }
        worker.value
        #expect(answer.value)
        #expect(turns.withLock { $0 } == ["answer", "worker"])
        #expect(!lock.isAwaited)
    }

    @Test("a caller gives up, and leaves the lock to those that wait longer") func over() {
        let lock = PatientLock()
        let worker = lock.withLock {
            let worker = Pending { lock.withLock { true } }
            #expect(lock.withLock(within: 0) { true } == nil)
            #expect(!lock.isAwaited)
            return worker
        }
        #expect(worker.value)
        #expect(lock.withLock(within: 0) { true } == true)
    }
}
