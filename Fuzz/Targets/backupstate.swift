import LatchkeyCryptoSuite
import LatchkeySecretMemory

@testable import LatchkeyBackupRun

private let key = SecretBox(copying: [UInt8](repeating: 1, count: 32))

/// The state of the last run that a backup keeps: in clear, and sealed under a key that the file names.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let stored = RunState.Stored(Array(Input(start: start, count: count))) else { return 0 }
    _ = stored.opened(key: key)
    guard let state = stored.opened(key: nil) else { return 0 }
    for (key, wrapped) in [(nil, []), (key, [UInt8](repeating: 2, count: 40))] as [(SecretBox?, [UInt8])] {
        let bytes = state.encoded(key: key, wrappedKey: wrapped, entropy: SystemEntropy())
        guard let again = RunState.Stored(bytes), again.wrappedKey == wrapped, let opened = again.opened(key: key)
        else {
            preconditionFailure("the own bytes are refused")
        }
        precondition(opened.keybag == state.keybag && opened.files == state.files, "the own bytes mean something else")
    }
    return 0
}
