import CLatchkeyFuse
import Glibc
import LatchkeyThreading
import Synchronization

/// The threads that answer the kernel's requests.
///
/// One of them, the leader, reads a request, answers it, and reads the next one. After an answer it asks for a while again
/// and again before it sleeps: most programs make their next call at once, and waking a thread takes longer than
/// a request. A second thread, the deputy, looks now and then whether the leader is held up by a request, for instance
/// one that waits for the disk or the device, and then leads in its place. Large reads and writes give the lead away at once if
/// there are more requests and a second processor for them. Threads that neither lead nor look rest until one of the two is missing.
@safe final class RequestLoop: @unchecked Sendable {
    // Sendable because libfuse's session is made for several threads, and everything else has its lock.
    private struct Threads {
        var count = 0
        /// True while a thread waits to take the lead.
        var hasDeputy = false
        /// The threads that rest.
        var restingCount = 0
        /// The request from which on the deputy shall lead.
        var offered: UInt64?
    }

    private let session: OpaquePointer
    private let descriptor: Int32
    private let contentMemory: ContentMemory
    private let wakeUp: Cancellation
    private let tidy: @Sendable () -> Bool
    private let whenGone: @Sendable () -> Void
    /// The deputy waits for this, and ``stop()``.
    private let condition: WaitCondition
    /// Threads without a task wait for this, under the same lock.
    private let rest: WaitCondition
    private var threads = Threads()
    /// Odd while the leader answers a request; with the next even number it has the lead again, unless another thread has
    /// set that number before: then the lead is that thread's.
    private let progress = Atomic<UInt64>(0)
    /// True while the deputy does not look.
    private let isDeputyAsleep = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)

    private static let threadLimit = 16
    /// The attempts to read before the leader sleeps, about a tenth of a millisecond.
    private static let attempts = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? 250 : 0
    private static let canRunInParallel = processorCount > 1
    private static let lookNanoseconds = 2_000_000
    /// The looks without a request after which the deputy sleeps.
    private static let quietLooks = 25
    private static let largeByteCount = 32 * 1024

    /// - Parameters:
    ///   - tidy: called after a request if no other one waits, until it returns false.
    ///   - whenGone: called once when the volume was unmounted.
    init(
        _ session: OpaquePointer, _ contentMemory: ContentMemory, tidy: @escaping @Sendable () -> Bool,
        whenGone: @escaping @Sendable () -> Void
    ) {
        unsafe self.session = unsafe session
        unsafe descriptor = fuse_session_fd(session)
        self.contentMemory = contentMemory
        wakeUp = Cancellation()
        condition = WaitCondition()
        rest = WaitCondition(sharingLockOf: condition)
        self.tidy = tidy
        self.whenGone = whenGone
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    }

    /// Starts to answer. False if the system has no thread left.
    func start() -> Bool {
        condition.withLock {
            threads.count = 1
            return DetachedThread.start { [self] in work(leads: true) }
        }
    }

    /// Ends all threads, and returns when they have answered what they were answering.
    func stop() {
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        unsafe fuse_session_exit(session)
        wakeUp.cancel()
        condition.withLock {
            condition.wakeAll()
            rest.wakeAll()
            while threads.count > 0 { condition.wait() }
        }
    }

    private func work(leads: Bool) {
        var memory = unsafe RequestMemory()
        var leads = leads
        while !hasEnded.load(ordering: .relaxed) {
            if leads { unsafe lead(&memory) }
            unsafe memory.wipe()
            leads = waitForLead()
        }
        unsafe memory.end()
        condition.withLock {
            threads.count -= 1
            condition.wakeAll()
        }
    }

    /// Answers requests until another thread has the lead.
    private func lead(_ memory: inout RequestMemory) {
        ensureDeputy()
        // The thread that had the lead before may have left something.
        var isTidy = false
        while !hasEnded.load(ordering: .relaxed) {
            let result = unsafe isTidy ? receive(&memory) : receiveWaiting(&memory)
            if result == -EAGAIN, !isTidy {
                // The program that was answered is only waking up.
                let number = begin()
                isTidy = !tidy()
                guard take(number) else { return }
            }
            if result == -EINTR || result == -EAGAIN { continue }
            guard result > 0 else {
                guard !hasEnded.exchange(true, ordering: .sequentiallyConsistent) else { return }
                return whenGone()
            }
            let number = begin()
            if Self.canRunInParallel, unsafe isLarge(memory.buffer, result), isMoreWaiting {
                wakeDeputy(toLeadFrom: number)
            }
            unsafe fuse_session_process_buf(session, &memory.buffer)
            guard take(number) else { return }
            isTidy = false
        }
    }

    /// Begins a request, or other work that may take long. Returns its number.
    private func begin() -> UInt64 {
        let number = progress.load(ordering: .relaxed) + 1
        progress.store(number, ordering: .sequentiallyConsistent)
        if isDeputyAsleep.load(ordering: .sequentiallyConsistent) { wakeDeputy() }
        return number
    }

    /// Ends a request. Returns false if another thread has the lead.
    private func take(_ number: UInt64) -> Bool {
        progress.compareExchange(expected: number, desired: number + 1, ordering: .sequentiallyConsistent).exchanged
    }

    /// Receives a request that is there already; `-EAGAIN` if there is none.
    private func receiveWaiting(_ memory: inout RequestMemory) -> Int32 {
        let result = unsafe fuse_session_receive_buf(session, &memory.buffer)
        if result > 0 { unsafe memory.usedByteCount = max(memory.usedByteCount, Int(result)) }
        return result
    }

    private func receive(_ memory: inout RequestMemory) -> Int32 {
        for _ in 0...Self.attempts {
            let result = unsafe receiveWaiting(&memory)
            guard result == -EAGAIN else { return result }
        }
        // No content stays while this process does nothing.
        unsafe memory.wipe()
        contentMemory.wipe()
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&polled, nfds_t(polled.count), -1)
        return -EAGAIN
    }

    private var isMoreWaiting: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&polled, 1, 0) > 0
    }

    /// The kernel's numbers of requests for content: the second word of each request.
    private enum Content: UInt32 {
        case read = 15
        case write = 16
    }

    private func isLarge(_ buffer: fuse_buf, _ byteCount: Int32) -> Bool {
        guard byteCount >= 64, let bytes = unsafe buffer.mem else { return false }
        switch unsafe Content(rawValue: bytes.load(fromByteOffset: 4, as: UInt32.self)) {
        case .write: return Int(byteCount) >= Self.largeByteCount
        // The header has 40 bytes; a handle and an offset stand before the size.
        case .read: return unsafe bytes.load(fromByteOffset: 56, as: UInt32.self) >= Self.largeByteCount
        case nil: return false
        }
    }

    private func wakeDeputy() {
        condition.withLock {
            isDeputyAsleep.store(false, ordering: .sequentiallyConsistent)
            condition.wakeAll()
        }
    }

    /// Gives the lead away, if there is a thread for it.
    private func wakeDeputy(toLeadFrom number: UInt64) {
        condition.withLock {
            guard threads.hasDeputy, threads.offered == nil else { return }
            threads.offered = number
            condition.wakeAll()
        }
    }

    private func ensureDeputy() {
        condition.withLock {
            guard !threads.hasDeputy else { return }
            guard threads.restingCount == 0 else { return rest.wakeOne() }
            guard threads.count < Self.threadLimit else { return }
            threads.count += 1
            if !DetachedThread.start({ [self] in work(leads: false) }) { threads.count -= 1 }
        }
    }

    /// Waits until this thread has the lead, or everything ends.
    private func waitForLead() -> Bool {
        condition.withLock {
            while threads.hasDeputy {
                guard !hasEnded.load(ordering: .relaxed) else { return false }
                threads.restingCount += 1
                // The answer of a thread that lost the lead may have come after the others had gone to sleep.
                contentMemory.wipe()
                rest.wait()
                threads.restingCount -= 1
            }
            threads.hasDeputy = true
            defer {
                threads.hasDeputy = false
                threads.offered = nil
            }
            return leadAsDeputy()
        }
    }

    private func leadAsDeputy() -> Bool {
        var quiet = 0
        while !hasEnded.load(ordering: .relaxed) {
            let before = progress.load(ordering: .sequentiallyConsistent)
            if quiet >= Self.quietLooks {
                isDeputyAsleep.store(true, ordering: .sequentiallyConsistent)
                // The leader looks at that after it has begun a request.
                if progress.load(ordering: .sequentiallyConsistent) == before, before % 2 == 0 {
                    contentMemory.wipe()
                    condition.wait()
                }
                isDeputyAsleep.store(false, ordering: .sequentiallyConsistent)
                quiet = 0
                if takeOffer() { return true }
                continue
            }
            _ = condition.wait(until: .init(afterNanoseconds: Self.lookNanoseconds))
            if takeOffer() { return true }
            let now = progress.load(ordering: .sequentiallyConsistent)
            quiet = now == before && now % 2 == 0 ? quiet + 1 : 0
            if now == before, now % 2 == 1, take(now) { return true }
        }
        return false
    }

    /// Takes the lead that was offered, if it still can be.
    private func takeOffer() -> Bool {
        guard let number = threads.offered else { return false }
        threads.offered = nil
        return take(number)
    }

    /// The number of processors on which this process may run.
    private static var processorCount: Int {
        var allowed = cpu_set_t()
        guard unsafe sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &allowed) == 0 else { return 1 }
        return unsafe withUnsafeBytes(of: allowed) { unsafe $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }
}
