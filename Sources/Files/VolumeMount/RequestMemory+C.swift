import CLatchkeyFuse
import Glibc
import LatchkeySecretMemory

/// The memory into which a thread receives requests, which may carry content.
@unsafe struct RequestMemory {
    /// libfuse allocates it with the first request.
    var buffer = unsafe fuse_buf()
    /// The number of bytes that may have content.
    var usedByteCount = 0

    mutating func wipe() {
        guard let start = unsafe buffer.mem else { return }
        unsafe LatchkeySecretMemory.wipe(UnsafeMutableRawBufferPointer(start: start, count: usedByteCount))
        unsafe usedByteCount = 0
    }

    /// Wipes and frees the memory.
    mutating func end() {
        unsafe wipe()
        unsafe free(buffer.mem)
    }
}
