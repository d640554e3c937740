import Glibc

/// A fraction that makes nanoseconds of the units of ``mach_absolute_time()``.
///
/// On Apple platforms the structure and the function have one name, `mach_timebase_info`, which Swift allows to modules
/// of C alone. A call without arguments makes a value here as there; only as the type of a declaration the name is
/// missing.
@frozen
public struct mach_timebase_info_data_t: Sendable {
    public var numer: UInt32
    public var denom: UInt32

    public init() { (numer, denom) = (0, 0) }

    public init(numer: UInt32, denom: UInt32) { (self.numer, self.denom) = (numer, denom) }
}

/// An empty fraction.
public func mach_timebase_info() -> mach_timebase_info_data_t { mach_timebase_info_data_t() }

/// A fraction.
public func mach_timebase_info(numer: UInt32, denom: UInt32) -> mach_timebase_info_data_t {
    mach_timebase_info_data_t(numer: numer, denom: denom)
}

/// Returns the fraction, which is 1 here, as on Macs with Intel processors.
@discardableResult
public func mach_timebase_info(_ info: UnsafeMutablePointer<mach_timebase_info_data_t>!) -> kern_return_t {
    unsafe info.pointee = mach_timebase_info_data_t(numer: 1, denom: 1)
    return KERN_SUCCESS
}

/// Nanoseconds by a clock that cannot be set and stands while the machine sleeps.
public func mach_absolute_time() -> UInt64 { nanoseconds(CLOCK_MONOTONIC) }

/// Nanoseconds by a clock that cannot be set and goes on while the machine sleeps.
public func mach_continuous_time() -> UInt64 { nanoseconds(CLOCK_BOOTTIME) }

private func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * NSEC_PER_SEC + UInt64(time.tv_nsec)
}
