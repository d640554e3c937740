import Glibc
import LatchkeyCryptoSuite

/// Returns the kernel's identifier of the current boot, as 16 bytes. If it cannot be read, every process start counts
/// as a boot, which makes delays longer, never shorter. A different offset of the boot clock also counts as another
/// boot, because the start of a delay would mean another time.
func bootIdentifier(
    entropy: any Entropy, timeNamespace: TimeNamespace = .ofThisProcess
) -> [UInt8] {
    guard let file = unsafe fopen("/proc/sys/kernel/random/boot_id", "re") else { return entropy.bytes(16) }
    defer { unsafe fclose(file) }
    var line = [UInt8](repeating: 0, count: 64)
    let count = unsafe fread(&line, 1, line.count, file)
    guard count >= 36 else { return entropy.bytes(16) }
    let identifier = Array(line[..<36])
    return switch timeNamespace {
    case .initial: Array(sha256(identifier).prefix(16))
    case .shifted(let offset): Array(sha256(identifier + Array(" boottime \(offset)".utf8)).prefix(16))
    case .unknown: entropy.bytes(16)
    }
}
