@testable import LatchkeySyncCore

/// A statement: what is accepted is what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let signed = try? SignedStatement(parsing: input) else { return 0 }
    precondition(signed.bytes == input, "a statement was read as another than it is")
    return 0
}
