@_implementationOnly import CLatchkeyShims

/// Overwrites a buffer that held secret bytes in a way the compiler may not remove.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe lk_wipe(start, bytes.count)
}

/// Compares two areas of `byteCount` bytes in a time that depends on the count alone.
package func isEqualInConstantTime(
    _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, byteCount: Int
) -> Bool {
    unsafe lk_equal_bytes(one, other, byteCount) == 1
}
