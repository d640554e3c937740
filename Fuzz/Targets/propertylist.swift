import LatchkeyPropertyListDER

/// A property list: what is accepted encodes to bytes that mean the same and are their own encoding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let value = try? DERReader.decode(input) else { return 0 }
    let encoded = DERWriter.encode(value)
    guard let again = try? DERReader.decode(encoded) else { preconditionFailure("the own encoding is refused") }
    precondition(again == value, "the own encoding means something else")
    precondition(DERWriter.encode(again) == encoded, "the encoding is not unique")
    return 0
}
