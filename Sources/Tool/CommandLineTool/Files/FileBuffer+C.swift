import CLatchkeyShims

/// Room for a piece of a file, used again for each piece: locked, in no core file, wiped when its life ends.
@safe package final class FileBuffer {
    package let bytes: UnsafeMutableRawBufferPointer

    package init(byteCount: Int) {
        var isLocked: Int32 = 0
        guard let start = unsafe lk_map_secret_pages(byteCount, &isLocked) else {
            preconditionFailure("no memory left for \(byteCount) bytes of a file")
        }
        unsafe bytes = UnsafeMutableRawBufferPointer(start: start, count: byteCount)
    }

    deinit {
        guard let start = unsafe bytes.baseAddress else { return }
        unsafe lk_wipe(start, bytes.count)
        unsafe lk_unmap_secret_pages(start, bytes.count)
    }

    /// The first bytes of it.
    package func prefix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}
