@testable import LatchkeySyncCore

/// The header of a part of a snapshot: what is accepted is what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let signed = try? SignedObject<SnapshotPartObject>(parsing: input) else { return 0 }
    guard let content = try? signed.claim.content() else { preconditionFailure("a part cannot be written again") }
    precondition(input.starts(with: content.bytes), "a part was read as another than it is")
    return 0
}
