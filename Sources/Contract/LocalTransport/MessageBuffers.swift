import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// Buffers for messages, a few of which are kept: mapping, locking and unmapping one costs a short connection more than
/// all of its messages.
final class MessageBuffers: Sendable {
    static let shared = MessageBuffers()

    private static let keptCount = 8

    /// Addresses of unused buffers, which are wiped.
    private let idle = ProcessMutex<[UInt]>([])

    func take() -> UnsafeMutableRawBufferPointer {
        let count = TransportLimits.packetByteCount
        if let address = idle.withLock({ $0.popLast() }) {
            return unsafe UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: address), count: count)
        }
        guard let pages = unsafe lk_map_message_buffer(count, TransportLimits.lockedByteCount) else {
            preconditionFailure("no memory left for a message buffer")
        }
        return unsafe UnsafeMutableRawBufferPointer(start: pages, count: count)
    }

    func giveBack(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe wipe(buffer)
        let address = UInt(bitPattern: buffer.baseAddress)
        let isKept = idle.withLock { idle in
            guard idle.count < Self.keptCount else { return false }
            idle.append(address)
            return true
        }
        if !isKept { unsafe lk_unmap_message_buffer(buffer.baseAddress, buffer.count) }
    }
}
