import LatchkeySecretMemory

@testable import LatchkeyLocalTransport

/// A frame as it comes out of a socket: whatever is accepted must be what writing it again gives.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let header = try? FrameHeader(reading: input) else { return 0 }
    let content = UnsafeRawBufferPointer(rebasing: input.dropFirst(FrameHeader.byteCount))
    guard let message = try? FrameContent.read(header, from: content) else { return 0 }
    precondition(message.body.count == header.bodyCount && message.secrets.count == header.secretCount)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { copy.deallocate() }
    header.write(to: copy)
    FrameContent.write(message, to: UnsafeMutableRawBufferPointer(rebasing: copy.dropFirst(FrameHeader.byteCount)))
    precondition(copy.elementsEqual(input), "a frame was read as another than it is")
    return 0
}
