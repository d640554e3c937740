/// Sizes of files, as text for people.
package enum FileSize {
    /// The number of bytes to read, process and write at a time.
    package static let piece = 1 << 20

    /// `17 bytes`, `4.2 MiB`, `10.0 GiB`.
    package static func text(_ byteCount: Int) -> String {
        guard byteCount >= 1024 else { return byteCount == 1 ? "1 byte" : "\(byteCount) bytes" }
        var value = Double(byteCount) / 1024
        var unit = 0
        // From 1023.95 on the next unit shows it in fewer digits.
        while value >= 1023.95, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    private static let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
}
