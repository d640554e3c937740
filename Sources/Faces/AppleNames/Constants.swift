// Numbers. Disfavoured, so that another module's or the program's own constant of the same name is taken.

/// The result of a call of the kernel that succeeded.
@_disfavoredOverload public var KERN_SUCCESS: Int32 { 0 }

/// Nanoseconds in a second.
@_disfavoredOverload public var NSEC_PER_SEC: UInt64 { 1_000_000_000 }
/// Nanoseconds in a millisecond.
@_disfavoredOverload public var NSEC_PER_MSEC: UInt64 { 1_000_000 }
/// Nanoseconds in a microsecond.
@_disfavoredOverload public var NSEC_PER_USEC: UInt64 { 1_000 }
/// Microseconds in a second.
@_disfavoredOverload public var USEC_PER_SEC: UInt64 { 1_000_000 }
/// Milliseconds in a second.
@_disfavoredOverload public var MSEC_PER_SEC: UInt64 { 1_000 }

// The target of the program. `#if os(…)` and `#if targetEnvironment(…)` ask the same before compiling.

/// 0: not one of Apple's systems.
@_disfavoredOverload public var TARGET_OS_MAC: Int32 { 0 }
/// 0: not iOS or a system made from it.
@_disfavoredOverload public var TARGET_OS_IPHONE: Int32 { 0 }
/// 0: not iOS.
@_disfavoredOverload public var TARGET_OS_IOS: Int32 { 0 }
/// 0: not macOS.
@_disfavoredOverload public var TARGET_OS_OSX: Int32 { 0 }
/// 0: not tvOS.
@_disfavoredOverload public var TARGET_OS_TV: Int32 { 0 }
/// 0: not watchOS.
@_disfavoredOverload public var TARGET_OS_WATCH: Int32 { 0 }
/// 0: not an app for iPad on macOS.
@_disfavoredOverload public var TARGET_OS_MACCATALYST: Int32 { 0 }
/// 0: not a simulator.
@_disfavoredOverload public var TARGET_OS_SIMULATOR: Int32 { 0 }
/// 0: not a simulator; the older name.
@_disfavoredOverload public var TARGET_IPHONE_SIMULATOR: Int32 { 0 }
