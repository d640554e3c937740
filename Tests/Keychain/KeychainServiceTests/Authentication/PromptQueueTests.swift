import Glibc
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

@testable import LatchkeyKeychainService

@Suite("One after the other")
struct PromptQueueTests {
    @Test("no caller has a turn while another one has it, and every caller gets one")
    func exclusive() throws {
        let turns = PromptQueue()
        let counts = Mutex((inside: 0, most: 0, all: 0))
        let threads = (0..<8).map { _ in
            Pending {
                for _ in 0..<100 {
                    turns.inTurn(Cancellation()) {
                        counts.withLock { counts in
                            counts.inside += 1
                            counts.all += 1
                            counts.most = max(counts.most, counts.inside)
                        }
                        // Lets the others try.
                        for _ in 0..<10 { sched_yield() }
                        counts.withLock { $0.inside -= 1 }
                    }
                }
            }
        }
        for thread in threads { thread.value }
        let (inside, most, all) = counts.withLock { $0 }
        #expect(inside == 0 && most == 1 && all == 800)
    }

    @Test("a caller that is cancelled in line, or comes too late, gets no turn and takes none away")
    func cancelled() throws {
        let turns = PromptQueue()
        let gotNone = turns.inTurn(Cancellation()) { () -> Bool in
            let cancellation = Cancellation()
            let waiting = Pending { turns.inTurn(cancellation) { true } }
            cancellation.cancel()
            #expect(turns.inTurn(Cancellation(seconds: 0)) { true } == nil)
            return waiting.value == nil
        }
        #expect(gotNone == true)
        #expect(turns.inTurn(Cancellation()) { true } == true)
    }
}
