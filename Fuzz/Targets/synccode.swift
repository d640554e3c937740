import LatchkeySecretMemory
import LatchkeySyncKeys

/// A code as a person types it: what is accepted has one form, and no character of it can be changed unnoticed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    check(RecoveryCodeKind.self, input)
    check(InvitationCodeKind.self, input)
    return 0
}

private func check<Kind: CodeKind>(_ kind: Kind.Type, _ input: [UInt8]) {
    guard let code = try? SecretCode<Kind>(reading: SecretBox(copying: input)) else { return }
    let text = code.text.withBytes { Array($0) }
    let again = (try? SecretCode<Kind>(reading: SecretBox(copying: text)))?.text.withBytes { Array($0) }
    precondition(again == text, "the own text of a code is refused, or is another code")
    let other: UInt8 = text[0] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    let changed = [other] + text.dropFirst()
    precondition(
        (try? SecretCode<Kind>(reading: SecretBox(copying: changed))) == nil, "a changed character is not noticed")
}
