@testable import LatchkeySyncCore

/// A head: what is accepted is what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let signed = try? SignedObject<HeadObject>(parsing: input) else { return 0 }
    guard let content = try? signed.claim.content() else { preconditionFailure("a head cannot be written again") }
    precondition(input.starts(with: content.bytes), "a head was read as another than it is")
    return 0
}
