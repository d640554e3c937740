@_implementationOnly import CLatchkeyShims

/// Overwrites a buffer that held secret bytes in a way the compiler may not remove.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe lk_wipe(start, bytes.count)
}
