import Glibc

@_implementationOnly import CLatchkeyShims

// In a file of its own: if a module is compiled as a whole, the members of `timespec` count as those of CLatchkeyShims,
// whose headers also name it; and a file that imports that module cannot keep the types of a mutex.

extension WaitCondition {
    /// The end of a wait, by the clock that cannot be set.
    package struct Deadline: Sendable {
        private let nanoseconds: Int

        package init(afterNanoseconds distance: Int) {
            var now = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &now)
            nanoseconds = now.tv_sec * 1_000_000_000 + now.tv_nsec + distance
        }

        func withPointer<R>(_ body: (UnsafePointer<timespec>) -> R) -> R {
            var moment = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
            return unsafe withUnsafePointer(to: &moment) { unsafe body($0) }
        }
    }
}
