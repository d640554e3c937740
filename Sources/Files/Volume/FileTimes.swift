package import Glibc

/// The time of the last access and that of the last change.
package struct FileTimes: Sendable {
    package var access: timespec
    package var change: timespec

    package init(access: timespec = omitted, change: timespec = omitted) {
        self.access = access
        self.change = change
    }

    /// Leaves a time as it is: `UTIME_OMIT`.
    package static let omitted = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
    /// The present time of the system: `UTIME_NOW`.
    package static let now = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 1)
}
