// Core Foundation's byte order functions, as inline functions of C in CFByteOrder.h. Disfavoured: a file that imports
// CoreFoundation takes those of C.

/// Reverses the bytes.
@_disfavoredOverload @discardableResult
public func CFSwapInt16(_ arg: UInt16) -> UInt16 { arg.byteSwapped }
/// Reverses the bytes.
@_disfavoredOverload @discardableResult
public func CFSwapInt32(_ arg: UInt32) -> UInt32 { arg.byteSwapped }
/// Reverses the bytes.
@_disfavoredOverload @discardableResult
public func CFSwapInt64(_ arg: UInt64) -> UInt64 { arg.byteSwapped }

/// Converts the machine's order to most significant byte first.
@_disfavoredOverload @discardableResult
public func CFSwapInt16HostToBig(_ arg: UInt16) -> UInt16 { arg.bigEndian }
/// Converts the machine's order to most significant byte first.
@_disfavoredOverload @discardableResult
public func CFSwapInt32HostToBig(_ arg: UInt32) -> UInt32 { arg.bigEndian }
/// Converts the machine's order to most significant byte first.
@_disfavoredOverload @discardableResult
public func CFSwapInt64HostToBig(_ arg: UInt64) -> UInt64 { arg.bigEndian }

/// Converts most significant byte first to the machine's order.
@_disfavoredOverload @discardableResult
public func CFSwapInt16BigToHost(_ arg: UInt16) -> UInt16 { UInt16(bigEndian: arg) }
/// Converts most significant byte first to the machine's order.
@_disfavoredOverload @discardableResult
public func CFSwapInt32BigToHost(_ arg: UInt32) -> UInt32 { UInt32(bigEndian: arg) }
/// Converts most significant byte first to the machine's order.
@_disfavoredOverload @discardableResult
public func CFSwapInt64BigToHost(_ arg: UInt64) -> UInt64 { UInt64(bigEndian: arg) }

/// Converts the machine's order to least significant byte first.
@_disfavoredOverload @discardableResult
public func CFSwapInt16HostToLittle(_ arg: UInt16) -> UInt16 { arg.littleEndian }
/// Converts the machine's order to least significant byte first.
@_disfavoredOverload @discardableResult
public func CFSwapInt32HostToLittle(_ arg: UInt32) -> UInt32 { arg.littleEndian }
/// Converts the machine's order to least significant byte first.
@_disfavoredOverload @discardableResult
public func CFSwapInt64HostToLittle(_ arg: UInt64) -> UInt64 { arg.littleEndian }

/// Converts least significant byte first to the machine's order.
@_disfavoredOverload @discardableResult
public func CFSwapInt16LittleToHost(_ arg: UInt16) -> UInt16 { UInt16(littleEndian: arg) }
/// Converts least significant byte first to the machine's order.
@_disfavoredOverload @discardableResult
public func CFSwapInt32LittleToHost(_ arg: UInt32) -> UInt32 { UInt32(littleEndian: arg) }
/// Converts least significant byte first to the machine's order.
@_disfavoredOverload @discardableResult
public func CFSwapInt64LittleToHost(_ arg: UInt64) -> UInt64 { UInt64(littleEndian: arg) }
