import Glibc
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// Frames over one socket: one system call to send, one to receive, one buffer for both.
///
/// For one thread at a time. The part of the buffer that a frame used is wiped before the next call returns.
@safe struct FrameChannel: ~Copyable, @unchecked Sendable {
    // Sendable because the buffer belongs to this value alone, and a noncopyable value has one owner.
    let descriptor: Descriptor
    private let buffer: UnsafeMutableRawBufferPointer

    /// A received frame, and the process that the kernel names as its sender (0 if none).
    struct Arrival {
        let header: FrameHeader
        let message: WireMessage
        let senderID: Int32
    }

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        unsafe buffer = unsafe MessageBuffers.shared.take()
    }

    deinit {
        unsafe MessageBuffers.shared.giveBack(buffer)
    }

    /// Sends one frame. Throws `.tooLarge` before anything is sent, `.closed` if the other side is gone.
    func send(
        _ kind: FrameKind, _ message: WireMessage, nonce: Nonce, withoutWaiting: Bool = false
    ) throws(TransportFailure) {
        let header = FrameHeader(kind: kind, message: message, nonce: nonce)
        try header.checkLimits()
        unsafe header.write(to: buffer)
        let outcome: Int32
        if header.isContentInMemoryFile {
            let memory = try Self.sealedMemory(holding: message, byteCount: header.contentCount)
            outcome = unsafe lk_socket_send(
                descriptor.number, buffer.baseAddress, FrameHeader.byteCount, memory.number, withoutWaiting ? 1 : 0)
        } else {
            let count = FrameHeader.byteCount + header.contentCount
            unsafe FrameContent.write(
                message, to: UnsafeMutableRawBufferPointer(rebasing: buffer[FrameHeader.byteCount..<count]))
            outcome = unsafe lk_socket_send(descriptor.number, buffer.baseAddress, count, -1, withoutWaiting ? 1 : 0)
            unsafe wipe(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        }
        switch -outcome {
        case 0: return
        case EPIPE, ECONNRESET, ENOTCONN: throw .closed
        case let error: throw .system(call: "sendmsg", errno: error)
        }
    }

    /// Returns the next frame; nil at the end of the stream. A side that sends no requests accepts no replies: they are
    /// refused by their header, before their content is read.
    func receive(takesAnswers: Bool = true) throws(TransportFailure) -> Arrival? {
        var packet = lk_socket_packet()
        let outcome = unsafe lk_socket_receive(descriptor.number, buffer.baseAddress, buffer.count, &packet)
        guard outcome == 0 else {
            switch -outcome {
            case ECONNRESET, ENOTCONN: return nil
            case EAGAIN: throw .timedOut
            case let error: throw .system(call: "recvmsg", errno: error)
            }
        }
        guard packet.arrived != 0 else { return nil }
        let attached = packet.attached >= 0 ? Descriptor(owning: packet.attached) : nil
        let received = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(packet.count, buffer.count)])
        defer { unsafe wipe(received) }
        guard packet.is_truncated == 0 else { throw .malformed(.truncated) }
        let header = try unsafe FrameHeader(reading: UnsafeRawBufferPointer(received))
        guard takesAnswers || header.kind != .answer else {
            throw .malformed(.unexpectedKind(header.kind.rawValue))
        }
        let expected = header.isContentInMemoryFile ? 1 : 0
        guard packet.attached_count <= expected else {
            throw .malformed(.unexpectedDescriptors(Int(packet.attached_count)))
        }
        let content = unsafe UnsafeRawBufferPointer(rebasing: received[FrameHeader.byteCount...])
        guard header.isContentInMemoryFile else {
            return unsafe Arrival(
                header: header, message: try FrameContent.read(header, from: content), senderID: packet.pid)
        }
        guard let attached else { throw .malformed(.descriptorMissing) }
        guard unsafe content.isEmpty, header.contentCount > 0 else {
            throw .malformed(.lengthsDisagree(expected: header.contentCount, found: content.count))
        }
        let message = try Self.message(header, inMemory: attached)
        return Arrival(header: header, message: message, senderID: packet.pid)
    }

    private static func sealedMemory(
        holding message: WireMessage, byteCount: Int
    ) throws(TransportFailure) -> Descriptor {
        var mapping: UnsafeMutableRawPointer?
        let number = unsafe lk_sealed_memory_create(byteCount, &mapping)
        guard number >= 0, let mapping = unsafe mapping else { throw .system(call: "memfd_create", errno: -number) }
        let memory = Descriptor(owning: number)
        unsafe FrameContent.write(message, to: UnsafeMutableRawBufferPointer(start: mapping, count: byteCount))
        let outcome = unsafe lk_sealed_memory_seal(number, mapping, byteCount)
        guard outcome == 0 else { throw .system(call: "fcntl(F_ADD_SEALS)", errno: -outcome) }
        return memory
    }

    /// Opens a message in a memory file. The seals are checked before anything is read, so the sender cannot change it
    /// during the checks.
    private static func message(
        _ header: FrameHeader, inMemory memory: Descriptor
    ) throws(TransportFailure) -> WireMessage {
        var mapping: UnsafeRawPointer?
        let count = header.contentCount
        let outcome = unsafe lk_sealed_memory_open(memory.number, count, &mapping)
        switch -outcome {
        case 0: break
        case EMSGSIZE: throw .malformed(.memorySizeDiffers)
        case EPERM, EINVAL: throw .malformed(.memoryNotSealed)
        case let error: throw .system(call: "mmap", errno: error)
        }
        defer { unsafe lk_sealed_memory_close(mapping, count) }
        return try unsafe FrameContent.read(header, from: UnsafeRawBufferPointer(start: mapping, count: count))
    }
}
