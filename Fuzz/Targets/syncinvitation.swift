@testable import LatchkeySyncCore

/// An invitation: what is accepted is what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let object = try? AuthenticatedObject(parsing: input), let read = try? Invitation(parsing: object.content)
    else {
        return 0
    }
    let content = try? read.content()
    precondition(content == object.content, "an invitation was read as another than it is")
    return 0
}
