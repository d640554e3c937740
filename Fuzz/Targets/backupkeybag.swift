import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory

private let hardwareKey = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 7, count: HardwareKey.byteCount)))
private let passcodeKey = SecretBox(copying: [UInt8](repeating: 1, count: 32))

/// The keybag of a backup and that of a host, opened with keys that are those of the seeds: by a program that has the password, and
/// by the enclave.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(Input(start: start, count: count))
    if let escrow = EscrowKeybag(parsing: input, on: hardwareKey) {
        precondition(input.count <= EscrowKeybag.byteLimit, "too long")
        _ = escrow.uuid
        _ = try? escrow.open(with: passcodeKey)
    }
    guard let keybag = try? Keybag(parsing: input) else { return 0 }
    if (keybag.header.iterations ?? 1) <= 4, (keybag.header.firstRoundIterations ?? 1) <= 4 {
        _ = try? BackupKeybag.passcodeKey(for: passcodeKey, header: keybag.header)
    }
    let opened = try? BackupKeybag.open(keybag, passcodeKey: passcodeKey)
    let keys = try? BackupClassKeys.opened(keybag, passcodeKey: passcodeKey, on: hardwareKey)
    precondition((opened == nil) == (keys == nil), "one opens what the other does not")
    guard let opened, let keys else { return 0 }
    precondition(keys.keybag == keybag.header.uuid, "the keys are of another keybag")
    for (number, key) in keys.keys {
        precondition(BackupClassKeys.classNumbers.contains(number) && key.count == 32, "a class that no release has")
        precondition(opened.keys.contains { UInt8($0 & 0xF) == number }, "a key of a class that is not there")
    }
    return 0
}
