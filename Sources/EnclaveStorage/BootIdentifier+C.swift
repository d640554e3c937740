import Glibc
import LatchkeyCryptoSuite

/// The kernel's identifier of the present boot, as 16 bytes. Where it cannot be read every process start counts as
/// a boot, which makes delays longer, never shorter.
func bootIdentifier(entropy: any Entropy) -> [UInt8] {
    guard let file = unsafe fopen("/proc/sys/kernel/random/boot_id", "re") else { return entropy.bytes(16) }
    defer { unsafe fclose(file) }
    var line = [UInt8](repeating: 0, count: 64)
    let count = unsafe fread(&line, 1, line.count, file)
    guard count >= 36 else { return entropy.bytes(16) }
    return Array(sha256(Array(line[..<36])).prefix(16))
}
