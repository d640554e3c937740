public import Dispatch

// Names of types. Those that the importer of Swift hides on Apple platforms as well, because Swift has a type for them
// (`Boolean`, `Byte`, `SInt32`, `ItemCount`, `u_int8_t`), are not among them.

/// An error of the C library, as `memset_s` returns it: `<sys/_types/_errno_t.h>`.
public typealias errno_t = Int32
/// A number of bytes, as `memset_s` takes it.
public typealias rsize_t = Int
/// The result of a call of the kernel: ``KERN_SUCCESS``, or a number of its own.
public typealias kern_return_t = Int32
/// The machine's own unsigned number of 32 bits: `<mach/machine/vm_types.h>`.
public typealias natural_t = UInt32
/// A legacy result code of 16 bits: `MacTypes.h`.
public typealias OSErr = Int16
/// A unit of UTF-16.
public typealias UniChar = UInt16
/// A unit of UTF-8.
public typealias UTF8Char = UInt8
/// A unit of UTF-16.
public typealias UTF16Char = UInt16
/// A Unicode scalar value.
public typealias UTF32Char = UInt32

/// A pointer through which a called function returns an object, as an error. There is no pool that would release the
/// object on Linux, so it is an ordinary pointer.
public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

/// A semaphore, under its name in C.
public typealias dispatch_semaphore_t = DispatchSemaphore
/// A group of work items, under its name in C.
public typealias dispatch_group_t = DispatchGroup
/// A block without arguments and result.
public typealias dispatch_block_t = () -> Void
/// A time as a number, that of `DispatchTime.rawValue` and `DispatchWallTime.rawValue`.
public typealias dispatch_time_t = UInt64
