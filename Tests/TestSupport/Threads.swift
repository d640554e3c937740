import Dispatch
import Foundation

/// Runs `body` on as many threads of its own at once and waits for all: a pool might run them one after the other.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let ended = DispatchGroup()
    for index in 0..<count {
        ended.enter()
        Thread.detachNewThread {
            body(index)
            ended.leave()
        }
    }
    ended.wait()
}
