import AppleNames
import Foundation
import LatchkeyTestSupport
import Testing

@Suite("Apple's locks")
struct LockTests {
    /// A lock and what it protects, at addresses that stay.
    private final class Counter: @unchecked Sendable {
        let lock = os_unfair_lock_t.allocate(capacity: 1)
        var count = 0

        init() { lock.initialize(to: os_unfair_lock()) }
        deinit { lock.deallocate() }
    }

    @Test("a lock has one owner at a time")
    func exclusion() {
        let counter = Counter()
        onThreads(4) { _ in
            for _ in 0..<20_000 {
                os_unfair_lock_lock(counter.lock)
                counter.count += 1
                os_unfair_lock_unlock(counter.lock)
            }
        }
        #expect(counter.count == 80_000)
        #expect(counter.lock.pointee._os_unfair_lock_opaque == 0)
        #expect(MemoryLayout<os_unfair_lock>.size == 4)
    }

    @Test("trying leaves a lock to its owner, and the owner is known")
    func trying() {
        let counter = Counter()
        os_unfair_lock_assert_not_owner(counter.lock)
        #expect(os_unfair_lock_trylock(counter.lock))
        os_unfair_lock_assert_owner(counter.lock)
        onThreads(1) { _ in
            #expect(!os_unfair_lock_trylock(counter.lock))
            os_unfair_lock_assert_not_owner(counter.lock)
        }
        os_unfair_lock_unlock(counter.lock)
        onThreads(1) { _ in
            #expect(os_unfair_lock_trylock(counter.lock))
            os_unfair_lock_unlock(counter.lock)
        }
    }

    @Test("locking twice, unlocking in another thread and a false claim end the process")
    func misuseInOwnProcess() async {
        await #expect(processExitsWith: .failure) {
            let lock = OSAllocatedUnfairLock()
            lock.withLock { lock.withLock {} }
        }
        await #expect(processExitsWith: .failure) {
            let lock = OSAllocatedUnfairLock()
            lock.withLockUnchecked { onThreads(1) { _ in lock.unlock() } }
        }
        await #expect(processExitsWith: .failure) {
            OSAllocatedUnfairLock().precondition(.owner)
        }
        await #expect(processExitsWith: .failure) {
            let lock = OSAllocatedUnfairLock()
            lock.withLock { lock.precondition(.notOwner) }
        }
    }

    @Test("a child that fork makes has the lock of its own thread")
    func forks() throws {
        let counter = Counter()
        os_unfair_lock_lock(counter.lock)
        os_unfair_lock_unlock(counter.lock)
        // Swift has no name for it.
        let symbol = try #require(dlsym(nil, "fork"))
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let child = fork()
        if child == 0 {
            os_unfair_lock_lock(counter.lock)
            _exit(counter.lock.pointee._os_unfair_lock_opaque == UInt32(getpid()) ? 0 : 1)
        }
        var status: Int32 = -1
        #expect(waitpid(child, &status, 0) == child)
        #expect(status == 0)
    }

    @Test("a state is reached under its lock, and copies share it")
    func allocated() throws {
        let lock = OSAllocatedUnfairLock(initialState: 0)
        let copy = lock
        onThreads(4) { _ in
            for _ in 0..<5_000 { lock.withLock { $0 += 1 } }
        }
        #expect(copy.withLock { $0 } == 20_000)
        #expect(lock.withLockIfAvailable { $0 } == 20_000)
        #expect(lock.withLock { _ in copy.withLockIfAvailable { $0 } } == nil)
        #expect(throws: CancellationError.self) { try lock.withLock { _ in throw CancellationError() } }
        #expect(lock.withLockIfAvailable { $0 } == 20_000)
        lock.precondition(.notOwner)

        let unchecked = OSAllocatedUnfairLock(uncheckedState: NSMutableArray())
        unchecked.withLockUnchecked { $0.add("a") }
        #expect(unchecked.withLockIfAvailableUnchecked { $0.count } == 1)

        let plain = OSAllocatedUnfairLock()
        plain.withLock { plain.precondition(.owner) }
        #expect(plain.withLockIfAvailable { 3 } == 3)
        plain.lock()
        #expect(!plain.lockIfAvailable() && plain.withLockIfAvailable { 3 } == nil)
        plain.unlock()
        #expect(plain.lockIfAvailable())
        plain.unlock()
    }

    @Test("an object is locked by one thread, as often as it likes")
    func objects() {
        let object = NSMutableArray()
        let counter = Counter()
        onThreads(4) { _ in
            for _ in 0..<2_000 {
                objc_sync_enter(counter)
                objc_sync_enter(counter)
                counter.count += 1
                #expect(objc_sync_exit(counter) == 0)
                objc_sync_exit(counter)
            }
        }
        #expect(counter.count == 8_000)
        #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
        #expect(objc_sync_enter(object) == OBJC_SYNC_SUCCESS)
        onThreads(1) { _ in #expect(objc_sync_exit(counter) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR) }
        #expect(objc_sync_exit(object) == OBJC_SYNC_SUCCESS)
        onThreads(4) { _ in
            for _ in 0..<2_000 {
                objc_sync_enter(Counter.self)
                counter.count += 1
                #expect(objc_sync_exit(type(of: counter)) == 0)
            }
        }
        #expect(counter.count == 16_000)
        #expect(objc_sync_enter(Counter.self) == 0)
        onThreads(1) { _ in
            #expect(objc_sync_exit(Counter.self) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
            #expect(objc_sync_enter(counter) == 0 && objc_sync_exit(counter) == 0, "a class is not its objects")
        }
        #expect(objc_sync_exit(Counter.self) == 0)
        // A value has no object to lock.
        #expect(objc_sync_enter(5) == OBJC_SYNC_SUCCESS && objc_sync_exit("a") == OBJC_SYNC_SUCCESS)
    }
}
