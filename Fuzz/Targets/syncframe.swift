@testable import LatchkeySyncCore

/// The frame of an object of a circle: what is accepted is what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let frame = try? ObjectFrame(parsing: input) else { return 0 }
    precondition(frame.bytes == input, "a frame was read as another than it is")
    return 0
}
