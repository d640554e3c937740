import LatchkeyThreading
import Synchronization
import Testing

@Suite("Conditions that share a lock")
struct WaitConditionTests {
    private final class Room: @unchecked Sendable {
        // Sendable because the numbers are used under the lock alone.
        var resting = 0
        var invited = 0
        var left = 0
        let door = WaitCondition()
        let rest: WaitCondition

        init() { rest = WaitCondition(sharingLockOf: door) }

        func enter() {
            rest.withLock {
                resting += 1
                door.wakeAll()
                while invited == 0 { rest.wait() }
                invited -= 1
                left += 1
                door.wakeAll()
            }
        }

        func waitUntil(_ isTrue: () -> Bool) {
            door.withLock { while !isTrue() { door.wait() } }
        }
    }

    @Test("each wake-up of one lets one thread go on, and threads that wait for the other condition sleep on")
    func one() {
        let room = Room()
        for _ in 0..<3 { #expect(DetachedThread.start { room.enter() }) }
        room.waitUntil { room.resting == 3 }
        for number in 1...3 {
            room.door.withLock {
                room.invited += 1
                room.rest.wakeOne()
            }
            room.waitUntil { room.left == number }
            room.door.withLock { #expect(room.left == number && room.invited == 0) }
        }
    }
}
