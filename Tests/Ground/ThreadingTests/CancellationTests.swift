import Glibc
import LatchkeyThreading
import Synchronization
import Testing

@Suite("A cancellation ends waits, once and for everybody")
struct CancellationTests {
    @Test("it is over when it is cancelled, and actions run once each")
    func cancelled() {
        let cancellation = Cancellation()
        let count = Counter()
        cancellation.whenCancelled { count.increment() }
        #expect(!cancellation.isOver)
        cancellation.cancel()
        cancellation.cancel()
        #expect(cancellation.isCancelled && cancellation.isOver && !cancellation.isTimedOut)
        #expect(count.value == 1)
    }

    @Test("an action that comes too late runs at once")
    func late() {
        let cancellation = Cancellation()
        cancellation.cancel()
        let count = Counter()
        cancellation.whenCancelled { count.increment() }
        #expect(count.value == 1)
    }

    @Test(
        "a deadline that is there already is over, and does not count as a cancellation",
        arguments: [0, -1] as [Double])
    func deadline(seconds: Double) {
        let cancellation = Cancellation(seconds: seconds)
        #expect(cancellation.isOver && cancellation.isTimedOut && !cancellation.isCancelled)
        #expect(cancellation.pollMilliseconds == 0)
        cancellation.wait()
    }

    @Test("what to give poll: nothing limits a wait without a deadline; a long one is cut to what poll can count")
    func pollMilliseconds() {
        #expect(Cancellation().pollMilliseconds == -1)
        #expect(Cancellation(seconds: 1e12).pollMilliseconds == Int32.max)
        #expect((1...60_000).contains(Cancellation(seconds: 60).pollMilliseconds))
    }

    @Test("its descriptor becomes readable, so a thread in poll wakes")
    func descriptor() {
        let cancellation = Cancellation()
        #expect(Self.isReadable(cancellation.descriptor, milliseconds: 0) == false)
        #expect(DetachedThread.start { cancellation.cancel() })
        #expect(Self.isReadable(cancellation.descriptor, milliseconds: -1))
    }

    @Test("a thread that waits for it goes on when another one cancels")
    func wait() {
        let cancellation = Cancellation()
        #expect(DetachedThread.start { cancellation.cancel() })
        cancellation.wait()
        #expect(cancellation.isCancelled)
    }

    @Test("a wait with a limit of its own ends without it being over")
    func limitedWait() {
        let cancellation = Cancellation(seconds: 3600)
        cancellation.wait(atMost: 0.001)
        #expect(!cancellation.isOver)
    }

    @Test("many threads cancel at once: the actions still run once")
    func race() {
        for _ in 0..<50 {
            let cancellation = Cancellation()
            let count = Counter()
            cancellation.whenCancelled { count.increment() }
            let done = WaitCondition()
            let finished = Counter()
            for _ in 0..<4 {
                let isStarted = DetachedThread.start {
                    cancellation.cancel()
                    done.withLock {
                        finished.increment()
                        done.wakeAll()
                    }
                }
                #expect(isStarted)
            }
            done.withLock { while finished.value < 4 { done.wait() } }
            #expect(count.value == 1)
        }
    }

    private static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, milliseconds) == 1
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increment() {
        count.withLock { $0 += 1 }
    }
}
