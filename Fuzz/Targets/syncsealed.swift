import LatchkeyCryptoSuite
import LatchkeySecretMemory

@testable import LatchkeySyncKeys

/// The contents that a member seals, and that another one parses after opening them: padded content and descriptions of devices.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    let box = SecretBox(copying: input)
    if let content = ContentPadding.content(of: box) {
        precondition(
            ContentPadding.padded(content).equals(box), "padded content was read as another than it is")
    }
    let key = SecretBox(copying: [UInt8](repeating: 7, count: 32))
    let sealed = input.withUnsafeBytes {
        AESGCM.seal($0, key: key, associatedData: [], entropy: SystemEntropy())
    }
    if let description = DeviceDescription(opening: sealed, with: key) {
        let again = DeviceDescription(
            opening: description.sealed(with: key, entropy: SystemEntropy()), with: key)
        precondition(again == description, "a description changes on its way")
    }
    return 0
}
