@testable import LatchkeySyncCore

/// Evidence, with the two objects in it: what is accepted is what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let evidence = try? Evidence(parsing: input) else { return 0 }
    let bytes = try? evidence.bytes()
    precondition(bytes == input, "evidence was read as another than it is")
    return 0
}
