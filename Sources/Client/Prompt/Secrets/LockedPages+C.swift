import Glibc

@_implementationOnly import CLatchkeyShims

/// Locked memory that is written repeatedly, for input that arrives in parts. Wiped when it is released.
@safe final class LockedPages {
    let bytes: UnsafeMutableRawBufferPointer

    /// Nil if no memory is left.
    init?(byteCount: Int) {
        var isLocked: Int32 = 0
        guard let start = unsafe lk_map_secret_pages(byteCount, &isLocked) else { return nil }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit {
        guard let start = unsafe bytes.baseAddress else { return }
        unsafe lk_wipe(start, bytes.count)
        unsafe lk_unmap_secret_pages(start, bytes.count)
    }
}
