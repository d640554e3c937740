import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeySecretMemory

extension AttemptRecord {
    private static let bootByteCount = 16

    /// failures (1) || start of the delay, milliseconds of uptime (u64 BE) || boot identifier (16)
    var content: SecretBox {
        // Already whole milliseconds; the product may be just below the intended number.
        let milliseconds = UInt64(max(0, delayStart.seconds * 1000).rounded())
        return SecretBox(
            copying: [UInt8(clamping: failures)]
                + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: milliseconds >> UInt64($0)) }
                + boot)
    }

    init?(content: SecretBox) {
        // A counter is not secret.
        let content = unsafe content.withBytes { unsafe Array($0) }
        guard content.count == 1 + 8 + Self.bootByteCount else { return nil }
        let milliseconds = content[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(
            failures: Int(content[0]), delayStart: Uptime(seconds: Double(milliseconds) / 1000),
            boot: Array(content.suffix(Self.bootByteCount)))
    }
}
