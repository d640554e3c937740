import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory

private let hardwareKey = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 7, count: HardwareKey.byteCount)))

/// A keybag, of this program or of a backup: what is accepted is read again from its own bytes, and opens or not.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let keybag = try? Keybag(parsing: input) else { return 0 }
    guard let again = try? Keybag(parsing: keybag.bytes) else { preconditionFailure("the own bytes are refused") }
    precondition(again == keybag, "the own bytes mean something else")
    _ = try? SystemKeybag(keybag, hardwareKey: hardwareKey).openWithoutPasscode()
    for keyClass in KeyClass.allCases { _ = keybag.classKey(keyClass) }
    return 0
}
