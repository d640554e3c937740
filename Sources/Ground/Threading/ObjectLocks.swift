import Glibc

/// Locks of objects: each thread may lock an object several times, and unlocks it as often.
package final class ObjectLocks: @unchecked Sendable {
    // Sendable because the table is reached under the condition's mutex alone.
    package static let shared = ObjectLocks()

    private struct Holding {
        let object: AnyObject
        let owner: pthread_t
        var depth = 0
    }

    private let condition = WaitCondition()
    /// Objects that are locked.
    private var holdings: [ObjectIdentifier: Holding] = [:]

    package init() {}

    /// Waits for its owner, if that is another thread. The object lives at least until it is unlocked.
    package func lock(_ object: AnyObject) {
        let (key, thread) = (ObjectIdentifier(object), pthread_self())
        condition.withLock {
            while let holding = holdings[key], holding.owner != thread { condition.wait() }
            holdings[key, default: Holding(object: object, owner: thread)].depth += 1
        }
    }

    /// False if this thread is not the owner.
    package func unlock(_ object: AnyObject) -> Bool {
        let (key, thread) = (ObjectIdentifier(object), pthread_self())
        return condition.withLock {
            guard var holding = holdings[key], holding.owner == thread else { return false }
            holding.depth -= 1
            holdings[key] = holding.depth == 0 ? nil : holding
            if holding.depth == 0 { condition.wakeAll() }
            return true
        }
    }
}
