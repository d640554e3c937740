import Glibc
import LatchkeyBackupFormat
import LatchkeyBinaryPropertyList
import LatchkeyFileAccess

/// The lists of a backup: what is accepted as a manifest is read again from its own bytes, and the items of a keychain list
/// are visited in the file as in a real run.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(Input(start: start, count: count))
    if let manifest = try? BackupManifest(input) {
        guard let again = try? BackupManifest(manifest.encoded) else {
            preconditionFailure("the own bytes are refused")
        }
        precondition(
            again.keybag == manifest.keybag && again.isEncrypted == manifest.isEncrypted
                && again.applications.map(\.identifier) == manifest.applications.map(\.identifier),
            "the own bytes mean something else")
    }
    _ = try? BackupInfo(input)
    _ = try? BackupStatus(input)
    var template = Array("/dev/shm/latchkey-fuzz.XXXXXX".utf8CString)
    let number = mkstemp(&template)
    guard number >= 0 else { preconditionFailure("no file for a list") }
    unlink(template)
    let file = OwnedDescriptor(owning: number)
    guard write(number, input, input.count) == input.count else { return 0 }
    if let payload = try? PayloadReader(file, of: .keychain, key: nil),
        let list = try? KeychainBackupReader(payload)
    {
        var visited = 0
        try? list.visit { _ in
            visited += 1
            return visited < 4096
        }
    }
    return 0
}
