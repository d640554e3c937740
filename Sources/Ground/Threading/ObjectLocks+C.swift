@_implementationOnly import CLatchkeyShims

/// Locks of objects: each thread may lock an object several times, and unlocks it as often.
package final class ObjectLocks: @unchecked Sendable {
    // Sendable because the table is reached under the condition's mutex alone.
    package static let shared = ObjectLocks()

    /// An object, or a class itself, which is locked apart from its objects.
    package struct Subject {
        fileprivate let identifier: ObjectIdentifier
        fileprivate let object: AnyObject?

        package init(_ object: AnyObject) {
            identifier = ObjectIdentifier(object)
            self.object = object
        }

        package init(_ type: AnyClass) {
            identifier = ObjectIdentifier(type)
            object = nil
        }
    }

    private struct Holding {
        let subject: Subject
        /// A `pthread_t` would be given to the next thread at once.
        let owner: UInt32
        var depth = 0
    }

    private let condition = WaitCondition()
    /// The subjects that are locked.
    private var holdings: [ObjectIdentifier: Holding] = [:]

    package init() {}

    /// Waits for its owner, if that is another thread. An object lives at least until it is unlocked.
    package func lock(_ subject: Subject) {
        let (key, thread) = (subject.identifier, lk_thread_number())
        condition.withLock {
            while let holding = holdings[key], holding.owner != thread { condition.wait() }
            holdings[key, default: Holding(subject: subject, owner: thread)].depth += 1
        }
    }

    /// False if this thread is not the owner.
    package func unlock(_ subject: Subject) -> Bool {
        let (key, thread) = (subject.identifier, lk_thread_number())
        return condition.withLock {
            guard var holding = holdings[key], holding.owner == thread else { return false }
            holding.depth -= 1
            holdings[key] = holding.depth == 0 ? nil : holding
            if holding.depth == 0 { condition.wakeAll() }
            return true
        }
    }
}
