import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeySecretMemory

private let classKey = SecretBox(copying: [UInt8](repeating: 1, count: KeyWrapping.keyByteCount))
private let deviceKey = SecretBox(copying: [UInt8](repeating: 2, count: KeyWrapping.keyByteCount))

/// A key of the enclave, as a program may hand one in: what is accepted is written as it was read, and opens nowhere but
/// where it was made.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let blob = try? EnclaveKeyBlob(parsing: input) else { return 0 }
    precondition(blob.bytes == input, "it is written as other bytes")
    precondition(blob.accessControl.isBound && blob.accessControl.isForPrivateKeys, "a rule that no key has")
    precondition(!blob.isSealed(with: deviceKey), "a seal that it was not made with fits")
    precondition(
        !blob.isGenuine(with: classKey, deviceKey: deviceKey), "it opens under a key that it was not made with")
    if case .key = blob.secret(with: classKey, deviceKey: deviceKey, passwordKey: classKey) {
        preconditionFailure("its secret opens under a key that it was not made with")
    }
    return 0
}
