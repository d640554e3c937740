import AccessControl

/// A serialised access control, as an app may hand one in: what is accepted is its own serialisation's meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let control = try? AccessControl(serialised: input) else { return 0 }
    let bytes = control.serialised
    guard let again = try? AccessControl(serialised: bytes) else { preconditionFailure("the own bytes are refused") }
    precondition(again.serialised == bytes, "the serialisation is not unique")
    return 0
}
